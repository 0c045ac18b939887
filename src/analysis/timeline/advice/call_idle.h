// SPDX-License-Identifier: MIT
// Idle time of a device while its launching thread was in calls of the runtime that are not launches.
#pragma once

#include <span>
#include <string_view>

#include "analysis/timeline/advice/advice_input.h"

namespace aaco {

// What a pattern says of such calls.
struct CallPattern {
  const char* id;
  const char* subject;
  std::span<const std::string_view> calls;  // how their names begin, whatever the vendor
  bool long_launches;                       // launching calls of 1 ms and more too
  const char* remedy;
  const char* source;
};

// One finding a device that such calls held for long enough.
std::vector<TraceFinding> idle_in_calls(const AdviceInput& input, const CallPattern& pattern);

}  // namespace aaco
