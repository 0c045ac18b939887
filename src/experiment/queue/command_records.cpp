// SPDX-License-Identifier: MIT
#include "experiment/queue/command_records.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>
#include <unordered_map>

#include "base/clock.h"
#include "experiment/queue/stream_numbers.h"
#include "workload/command_issuer.h"

namespace aaco {

namespace {

// When each command was being issued, by the session's clock, one after the other.
struct Span {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
};

// The command within whose issue the call was made; the number of commands where none was.
size_t command_of(const std::vector<Span>& spans, const ActivityRecord& call) {
  const auto after = std::upper_bound(spans.begin(), spans.end(), call.start_ns,
                                      [](int64_t at_ns, const Span& span) { return at_ns < span.start_ns; });
  if (after == spans.begin() || call.start_ns > std::prev(after)->end_ns) {
    return spans.size();
  }
  return static_cast<size_t>(std::prev(after) - spans.begin());
}

CommandRecords attribute(const std::vector<Span>& spans, std::vector<ActivityRecord> records,
                         const StreamNumbers& numbers) {
  CommandRecords result;
  result.commands.resize(spans.size());
  std::unordered_map<uint64_t, size_t> commands;  // by correlation
  for (const ActivityRecord& record : records) {
    if (record.kind == ActivityKind::kLaunchCall) {
      commands.try_emplace(record.correlation, command_of(spans, record));
    }
  }
  sort_as_executed(records);
  int64_t lost = 0;
  for (const ActivityRecord& record : records) {
    if (!is_device_work(record.kind)) {
      continue;
    }
    const auto stream = numbers.of(record);
    const auto command = commands.find(record.correlation);
    if (!stream) {
      continue;  // a library's own stream: nothing of the program waits there
    }
    if (command == commands.end() || command->second == spans.size()) {
      ++lost;
      continue;
    }
    result.commands[command->second].push_back({*stream, record.name});
  }
  if (lost > 0) {
    result.problem = fmt::format("{} records of an iteration belong to no command of its program", lost);
  }
  return result;
}

}  // namespace

bool is_device_work(ActivityKind kind) {
  return kind == ActivityKind::kKernel || kind == ActivityKind::kCopy || kind == ActivityKind::kSet;
}

void sort_as_executed(std::vector<ActivityRecord>& records) {
  std::sort(records.begin(), records.end(), [](const ActivityRecord& a, const ActivityRecord& b) {
    return std::tie(a.start_ns, a.end_ns, a.correlation) < std::tie(b.start_ns, b.end_ns, b.correlation);
  });
}

Result<CommandRecords> find_command_records(const Program& program, const ProgramTarget& target,
                                            ActivityCollector& collector, ActivitySink& sink) {
  AACO_ASSIGN(CommandIssuer issuer, CommandIssuer::make(program, target));
  AACO_TRY(collector.flush());
  sink.take();
  const uint64_t dropped = sink.dropped_count();
  std::vector<Span> spans;
  spans.reserve(program.commands().size());
  for (const Command& command : program.commands()) {
    const int64_t start_ns = monotonic_ns();
    AACO_TRY(issuer.issue(command));
    spans.push_back({start_ns, monotonic_ns()});
  }
  AACO_TRY(synchronize(target));
  AACO_TRY(collector.flush());
  CommandRecords result = attribute(spans, sink.take(), StreamNumbers(target));
  if (sink.dropped_count() > dropped) {
    result.problem = "the collector lost records of the iteration that shows what each command leaves";
  }
  return result;
}

}  // namespace aaco
