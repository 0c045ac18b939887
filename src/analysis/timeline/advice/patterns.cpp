// SPDX-License-Identifier: MIT
#include "analysis/timeline/advice/patterns.h"

#include <algorithm>
#include <iterator>

namespace aaco {

std::vector<TraceFinding> find_patterns(const AdviceInput& input) {
  std::vector<TraceFinding> all;
  for (const auto& pattern : {
#define AACO_ADDRESS(name) &(name),
           AACO_PATTERNS(AACO_ADDRESS)
#undef AACO_ADDRESS
       }) {
    std::ranges::move(pattern(input), std::back_inserter(all));
  }
  for (TraceFinding& finding : all) {  // sums over streams that overlap may exceed it
    finding.saves_ns = std::min(finding.saves_ns, static_cast<double>(finding.window_ns));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const TraceFinding& a, const TraceFinding& b) { return a.saves_ns > b.saves_ns; });
  return all;
}

}  // namespace aaco
