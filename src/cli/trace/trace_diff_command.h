// SPDX-License-Identifier: MIT
// aaco trace diff: what changed on the device from one trace to another.
#pragma once

#include <cstddef>
#include <string>

#include "cli/command/command.h"

namespace aaco {

struct TraceDiffFlags {
  std::string before;
  std::string after;
  size_t top = 10;
  bool csv = false;
  std::string format = "text";
  std::string output = "-";
  std::string sessions = "sessions";  // where ids are looked for
};

// Prints or writes what changed; exit code 5 where a trace was read in part.
Result<int> diff_traces_of(TraceDiffFlags flags, bool json);

void add_trace_diff(cli::Command trace, Invocation& invocation);

}  // namespace aaco
