// SPDX-License-Identifier: MIT
// --until, of commands that measure in fresh processes.
#pragma once

#include <optional>
#include <string>

#include "cli/command/command_line.h"

#include "base/result.h"
#include "record/until.h"

namespace aaco {

inline constexpr double kUntilSeconds = 300;  // without --duration

cli::Option add_until_flag(cli::Command command, std::optional<std::string>& percent);

// None where the flag was not given. Errors: kUsage for what is no percentage from 0.1 to 50, or fewer than the three
// processes that an interval needs.
Result<std::optional<UntilRequest>> until_request(const std::optional<std::string>& percent,
                                                  std::optional<double> duration_s, int64_t processes);

}  // namespace aaco
