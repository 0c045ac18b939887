// SPDX-License-Identifier: MIT
#include "kind/sharded/loss_gate.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/max_or_nan.h"

namespace aaco {

std::vector<double> mean_losses(const std::vector<const std::vector<double>*>& ranks) {
  std::vector<double> means;
  for (size_t step = 0; !ranks.empty(); ++step) {
    double sum = 0;
    for (const std::vector<double>* losses : ranks) {
      if (step >= losses->size()) {
        return means;
      }
      sum += (*losses)[step];
    }
    means.push_back(sum / static_cast<double>(ranks.size()));
  }
  return means;
}

TrainingGate loss_gate(const std::string& name, const std::vector<const std::vector<double>*>& ranks,
                       const std::vector<double>& alone, double bound) {
  const std::vector<double> means = mean_losses(ranks);
  double worst = means.size() == alone.size() && !alone.empty() ? 0 : INFINITY;
  for (size_t i = 0; i < std::min(means.size(), alone.size()); ++i) {
    worst = max_or_nan(worst, std::abs(means[i] - alone[i]));
  }
  return {name, worst <= bound, fmt::format("{} steps of a small model differ by {:.2g}", means.size(), worst),
          fmt::format("at most {:.0e}", bound)};
}

}  // namespace aaco
