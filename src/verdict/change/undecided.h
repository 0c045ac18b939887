// SPDX-License-Identifier: MIT
// What a verdict says of a change that it cannot tell from noise, and what would.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/statistics.h"

namespace aaco {

struct UndecidedChange {
  double ratio = 1;
  Interval interval;                        // of the ratio, widened by drift
  double min_effect = 0;                    // a fraction
  double drift = 0;                         // likewise; 0 where the sides ran in turns
  std::optional<int64_t> processes_needed;  // a side, to decide anything
};

// `interval_text`: "98 % interval of the ratio [0.9738, 1.1695]". The margin for drift stays as wide whatever was
// measured, and is told where it alone keeps a change from being shown.
std::string undecided_reason(const UndecidedChange& change, const std::string& interval_text);

}  // namespace aaco
