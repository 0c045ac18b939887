// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace aaco {

// Figures of what was measured elsewhere.
inline constexpr const char* kValueFigure = "value";
inline constexpr const char* kRateFigure = "rate";

// Whether a recorded value is of the figure that was asked for: by its figure, or by its name where it was given.
// `--value p99=12ms` is the figure "value" of the name "p99", and what "p99" asks for.
bool is_of_figure(const std::string& asked, const std::string& figure, const std::string& name);

// A number that was measured elsewhere: "latency=12.3ms", or of several processes "latency=12.3ms,12.5ms,12.4ms".
struct GivenValue {
  std::string name;
  std::string unit;  // "ns" for durations, "" for others
  std::vector<double> values;
  bool higher_is_better = false;
};
// Errors: kUsage.
Result<GivenValue> parse_given_value(const std::string& text, bool higher_is_better);

}  // namespace aaco
