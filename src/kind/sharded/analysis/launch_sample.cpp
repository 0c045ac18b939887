// SPDX-License-Identifier: MIT
#include "kind/sharded/analysis/launch_sample.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace aaco {

RunSample launch_sample(const RunSample& ranks) {
  RunSample launch = ranks;
  const std::vector<double>& medians = ranks.process_medians_ns;
  if (medians.size() < 2) {
    return launch;
  }
  const auto count = static_cast<int64_t>(medians.size());
  const auto slowest = std::ranges::max_element(medians) - medians.begin();
  launch.process_medians_ns = {medians[slowest]};
  if (ranks.processes.size() == medians.size()) {
    launch.processes = {ranks.processes[slowest]};
  }
  launch.stationary_processes = ranks.stationary_processes == count ? 1 : 0;
  launch.iterations = ranks.iterations / count;  // every rank takes every step
  return launch;
}

}  // namespace aaco
