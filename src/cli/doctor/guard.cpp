// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>

#include "cli/doctor/check.h"

#include "base/format.h"
#include "guard/command/timed_process.h"
#include "guard/store/guard_store.h"

namespace aaco::doctor {

namespace {

namespace fs = std::filesystem;

Finding history_finding(const fs::path& folder) {
  constexpr const char* kName = "history";
  std::error_code error;
  const std::string place = fs::absolute(folder, error).string();
  const GuardStore store = GuardStore::for_reading(folder);
  if (const Result<void> history = store.expect_history(); !history) {
    static_cast<void>(fs::directory_iterator(folder, error));
    if (error == std::errc::permission_denied) {
      return missing("guard", kName, history.error().message, history.error().hint);
    }
    Finding none = finding_of("guard", kName, place + ": no recording yet");
    none.state = State::kNotNeeded;
    none.remedy = "aaco guard record makes it";
    return none;
  }
  std::vector<std::string> damaged;
  const Result<std::vector<GuardRecord>> records = store.records({}, damaged);
  if (!records) {
    return missing("guard", kName, records.error().message, records.error().hint);
  }
  const auto invalid = std::ranges::count(*records, 0, &GuardRecord::valid);
  std::string detail = fmt::format("{}: {}", place, counted(records->size(), "recording", "recordings"));
  if (invalid > 0) {
    detail += fmt::format(", {} of them no baseline", invalid);
  }
  if (!damaged.empty()) {
    return missing("guard", kName,
                   fmt::format("{}; {} cannot be read", detail, counted(damaged.size(), "file", "files")),
                   damaged.front());
  }
  return finding_of("guard", kName, std::move(detail));
}

// Counted of a process, as of a command that is timed.
Finding cycles_finding() {
  constexpr const char* kName = "cycles";
  const Result<ProcessTimes> times = time_process({"true"});
  if (times && times->cycles) {
    return finding_of("guard", kName, "are counted: a slower command is told from a slower clock");
  }
  return missing("guard", kName,
                 times ? "are not counted here: of commands the clock stays unknown" : times.error().message,
                 "where the machine is not virtual: sysctl kernel.perf_event_paranoid=2, or run as root");
}

}  // namespace

void check_guard(const Context& context, std::vector<Finding>& findings) {
  findings.push_back(history_finding(context.history));
  if (context.host.root() == "/") {  // it is this kernel that counts, wherever files are looked for
    findings.push_back(cycles_finding());
  }
}

}  // namespace aaco::doctor
