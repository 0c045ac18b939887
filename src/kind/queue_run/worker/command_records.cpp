// SPDX-License-Identifier: MIT
#include "kind/queue_run/worker/command_records.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

#include "base/clock.h"
#include "engine/activity/stream_numbers.h"
#include "record/device/device_rows.h"
#include "record/intervals.h"
#include "workload/command_issuer.h"

namespace aaco {

namespace {

// The command within whose issue the call was made, by when each was issued, one after the other; the number of
// commands where none was.
size_t command_of(const std::vector<Span>& issues, int64_t called_ns) {
  const auto after = std::upper_bound(issues.begin(), issues.end(), called_ns,
                                      [](int64_t at_ns, const Span& issue) { return at_ns < issue.start_ns; });
  if (after == issues.begin() || called_ns > std::prev(after)->end_ns) {
    return issues.size();
  }
  return static_cast<size_t>(std::prev(after) - issues.begin());
}

CommandRecords attribute(const std::vector<Span>& issues, const EventTable& events, const ProgramTarget& target) {
  CommandRecords result;
  result.commands.resize(issues.size());
  std::unordered_map<int64_t, size_t> commands;  // by correlation
  for (size_t i = 0; i < events.size(); ++i) {
    if (is_launch_call(events, i)) {
      commands.try_emplace(events.correlation[i], command_of(issues, events.start_ns[i]));
    }
  }
  const auto streams = stream_numbers(events, target);
  int64_t lost = 0;
  for (const EventRow row : work_as_executed(events)) {
    const auto stream = streams[events.track[row]];
    const auto command = commands.find(events.correlation[row]);
    if (!stream) {
      continue;  // a library's own stream: nothing of the program waits there
    }
    if (command == commands.end() || command->second == issues.size()) {
      ++lost;
      continue;
    }
    result.commands[command->second].push_back({*stream, events.name[row]});
  }
  if (lost > 0) {
    result.problem = fmt::format("{} records of an iteration belong to no command of its program", lost);
  }
  return result;
}

}  // namespace

Result<CommandRecords> find_command_records(const Program& program, const ProgramTarget& target,
                                            ActivityCollector& collector, ActivityTable& sink) {
  AACO_ASSIGN(CommandIssuer issuer, CommandIssuer::make(program, target));
  AACO_TRY(collector.flush());
  sink.take();
  const uint64_t dropped = sink.dropped_count();
  std::vector<Span> issues;
  issues.reserve(program.commands().size());
  for (const Command& command : program.commands()) {
    const int64_t start_ns = monotonic_ns();
    AACO_TRY(issuer.issue(command));
    issues.push_back({start_ns, monotonic_ns()});
  }
  AACO_TRY(synchronize(target));
  AACO_TRY(collector.flush());
  CommandRecords result = attribute(issues, sink.take(), target);
  if (sink.dropped_count() > dropped) {
    result.problem = "the collector lost records of the iteration that shows what each command leaves";
  }
  return result;
}

}  // namespace aaco
