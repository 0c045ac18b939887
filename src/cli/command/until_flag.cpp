// SPDX-License-Identifier: MIT
#include "cli/command/until_flag.h"

#include <fmt/format.h>

#include "base/format.h"
#include "base/number_range.h"

namespace aaco {

namespace {

constexpr int64_t kFewestProcesses = 3;
constexpr NumberRange<double> kPercent{0.1, 50};

}  // namespace

cli::Option add_until_flag(cli::Command command, std::optional<std::string>& percent) {
  return command.add_option("--until", percent, "Start processes until the interval is within so far of the figure: 2%")
      .type_name("PCT")
      .percent(kPercent);
}

Result<std::optional<UntilRequest>> until_request(const std::optional<std::string>& percent,
                                                  std::optional<double> duration_s, int64_t processes) {
  if (!percent) {
    return std::optional<UntilRequest>();
  }
  AACO_ASSIGN(const double value, number_within("--until", *percent, kPercent));
  if (processes < kFewestProcesses) {
    return Error{ErrorKind::kUsage,
                 fmt::format("--until with {}: an interval needs 3", counted(processes, "process", "processes")),
                 "leave out --processes, or give 3 or more"};
  }
  return std::optional(UntilRequest{value / 100, duration_s.value_or(kUntilSeconds)});
}

}  // namespace aaco
