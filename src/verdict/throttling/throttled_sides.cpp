// SPDX-License-Identifier: MIT
#include "verdict/throttling/throttled_sides.h"

#include <fmt/format.h>
#include <utility>

#include "analysis/devices/throttling.h"

namespace aaco {

std::string throttled_sides(const RunSample& baseline, const RunSample& test) {
  std::string what;
  for (const auto& [sample, side] : {std::pair{&baseline, "baseline"}, std::pair{&test, "test"}}) {
    if (sample->throttled_share.value_or(0) > kThrottledShare) {
      what += fmt::format("{}while the {} was measured, {}", what.empty() ? "throttled: " : "; ", side,
                          sample->throttled_words);
    }
  }
  return what;
}

}  // namespace aaco
