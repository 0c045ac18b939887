// SPDX-License-Identifier: MIT
// A run that ends by itself: as soon as the interval of its figure is narrow enough, or its time is over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json/json_fwd.h"

namespace aaco {

struct UntilRequest {
  double target = 0;   // how far from the figure the interval may reach: 0.02
  double limit_s = 0;  // of all processes, what is before and between their iterations included
};

struct UntilFacts {
  double target = 0;
  double limit_s = 0;
  int64_t processes = 0;        // that measured
  std::optional<double> reach;  // of the interval then; none of fewer than three processes
  bool reached = false;         // the target
};

// "within 2 %: reached after 9 processes", or why it was not.
std::string until_text(const UntilFacts& facts);

void to_json(Json& json, const UntilFacts& facts);
void from_json(const Json& json, UntilFacts& facts);

}  // namespace aaco
