// SPDX-License-Identifier: MIT
#include "cli/guard/guard_flags.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/side_note.h"
#include "base/text/characters.h"

namespace aaco {

cli::Option add_store_flag(cli::Command command, std::string& folder) {
  return command.add_option("--history", folder, "Folder with the recordings").type_name("DIR").capture_default_str();
}

void add_guard_subject(cli::Command command, GuardFlags& flags) {
  CheckRequest& request = flags.request;
  command.add_option("COMMAND", flags.command, "Command to time in fresh processes, behind --");
  command.add_option("--session", flags.session, "id, unique beginning of an id, folder, or \"latest\"")
      .type_name("ID|DIR");
  command
      .add_option("--value", flags.values, "Number that was measured elsewhere, of each process: latency=12.3ms,12.4ms")
      .type_name("NAME=NUMBER");
  command.add_option("--rate", flags.rates, "The same where more is better: images=812,809").type_name("NAME=NUMBER");
  command.add_option("--subject", request.labels.subject, "Name of what is measured; default: of model or program")
      .type_name("NAME");
  command.add_option("--commit", request.labels.commit, "What is measured; default: from CI or from git")
      .type_name("ID");
  command.add_option("--branch", request.labels.branch, "Its branch; default: from CI").type_name("NAME");
  command.add_option("--processes", request.processes, {kMinProcesses, 10'000}, "Fresh processes of a command")
      .capture_default_str();
  command.add_option("--warmup", request.warm_up, {0, 1000}, "Processes of a command that run before and do not count")
      .capture_default_str();
  add_store_flag(command, request.store);
  add_sessions_folder(command, request.sessions);
}

Result<void> expect_one_subject(const GuardFlags& flags) {
  const bool has_values = !flags.values.empty() || !flags.rates.empty();
  const int subjects = (flags.session.empty() ? 0 : 1) + (has_values ? 1 : 0) + (flags.command.empty() ? 0 : 1);
  if (subjects == 1) {
    return {};
  }
  return Error{ErrorKind::kUsage,
               subjects == 0 ? "nothing is named that is measured" : "several things are named that are measured",
               "give --session, --value NAME=NUMBER, or a command behind --"};
}

Result<std::vector<GivenValue>> given_values(const GuardFlags& flags) {
  std::vector<GivenValue> values;
  for (const std::string& text : flags.values) {
    AACO_ASSIGN(values.emplace_back(), parse_given_value(text, false));
  }
  for (const std::string& text : flags.rates) {
    AACO_ASSIGN(values.emplace_back(), parse_given_value(text, true));
  }
  for (auto value = values.begin(); value != values.end(); ++value) {
    if (std::ranges::find(value + 1, values.end(), value->name, &GivenValue::name) != values.end()) {
      return Error{ErrorKind::kUsage, fmt::format("{} is given twice", printable(value->name)),
                   "give all its numbers at once, with commas between them"};
    }
  }
  return values;
}

Result<void> keep_recording(const GuardStore& store, const GuardEntry& entry) {
  AACO_TRY(store.append(entry));
  AACO_TRY(store.compact());
  for (const std::string& what : store.set_aside()) {
    note("warning: {}\n", printable(what));
  }
  if (entry.record.valid == 0) {
    note("warning: the recording will be no baseline: {}\n", printable(entry.record.reason));
  }
  return {};
}

}  // namespace aaco
