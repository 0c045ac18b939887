// SPDX-License-Identifier: MIT
#include "kind/queue_run/worker/wait_resolution.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "engine/activity/stream_numbers.h"
#include "record/device/device_rows.h"

namespace aaco {

namespace {

// Work that must have ended: of each stream the last of it, by its position among the stream's records.
struct Frontier {
  std::map<int32_t, size_t> last;  // by stream
  bool unknown = false;            // and some that cannot be named

  void join(const Frontier& other) {
    for (const auto& [stream, position] : other.last) {
      const auto [entry, first] = last.try_emplace(stream, position);
      entry->second = std::max(entry->second, position);
    }
    unknown = unknown || other.unknown;
  }
};

struct StreamRecords {
  std::vector<EventRow> work;   // as executed
  std::vector<StringId> names;  // of one iteration, as the program leaves them
  bool waits = false;           // the program makes it wait for an event
  bool known = true;            // the work is what the program says
  size_t next = 0;
  Frontier pending;  // what the next work has to wait for
};

class WaitSearch {
 public:
  WaitSearch(const Program& program, const CommandRecords& commands, const EventTable& events)
      : program_(program),
        commands_(commands),
        table_(events),
        streams_(static_cast<size_t>(program.streams())),
        events_(static_cast<size_t>(program.events())) {
    for (const std::vector<CommandRecord>& command : commands.commands) {
      for (const CommandRecord& record : command) {
        streams_[static_cast<size_t>(record.stream)].names.push_back(record.name);
      }
    }
    for (const Command& command : program.commands()) {
      if (command.kind == CommandKind::kWait) {
        streams_[static_cast<size_t>(command.stream)].waits = true;
      }
    }
  }

  void take(const std::vector<std::optional<int32_t>>& numbers) {
    for (const EventRow row : work_as_executed(table_)) {
      if (const auto stream = numbers[table_.track[row]]) {
        streams_[static_cast<size_t>(*stream)].work.push_back(row);
      }
    }
  }

  ResolvedWaits run(int64_t iterations) {
    for (size_t i = 0; i < streams_.size(); ++i) {
      hold_against_program(i, static_cast<size_t>(iterations));
    }
    for (int64_t i = 0; i < iterations; ++i) {
      for (size_t command = 0; command < program_.commands().size(); ++command) {
        step(program_.commands()[command], commands_.commands[command]);
      }
    }
    for (const StreamRecords& stream : streams_) {
      if (stream.waits && !stream.known) {
        for (const EventRow row : stream.work) {
          result_.waits.push_back({table_.correlation[row], kNoId});
        }
      }
    }
    return std::move(result_);
  }

 private:
  void hold_against_program(size_t number, size_t iterations) {
    StreamRecords& stream = streams_[number];
    std::string problem = commands_.problem;
    if (problem.empty() && stream.work.size() != stream.names.size() * iterations) {
      problem = fmt::format("{} records on stream {}, the program leaves {} in each of {} iterations",
                            stream.work.size(), number, stream.names.size(), iterations);
    }
    for (size_t i = 0; i < stream.work.size() && problem.empty(); ++i) {
      if (table_.name[stream.work[i]] != stream.names[i % stream.names.size()]) {
        problem = fmt::format("record {} on stream {} is not what the program leaves there", i, number);
      }
    }
    stream.known = problem.empty();
    if (!stream.known && has_waits() && result_.unresolved.empty()) {
      result_.unresolved = "waits for events are not resolved: " + problem;
    }
  }

  bool has_waits() const {
    return std::any_of(streams_.begin(), streams_.end(), [](const StreamRecords& stream) { return stream.waits; });
  }

  void step(const Command& command, const std::vector<CommandRecord>& left) {
    StreamRecords& own = streams_[static_cast<size_t>(command.stream)];
    if (command.kind == CommandKind::kRecord) {
      Frontier& event = events_[static_cast<size_t>(command.index)];
      event = own.pending;
      event.unknown = event.unknown || !own.known;
      if (own.known && own.next > 0) {
        event.join({{{command.stream, own.next - 1}}, false});
      }
    } else if (command.kind == CommandKind::kWait) {
      own.pending.join(events_[static_cast<size_t>(command.index)]);
    }
    for (const CommandRecord& record : left) {
      begin_work(record.stream);
    }
  }

  void begin_work(int32_t number) {
    StreamRecords& stream = streams_[static_cast<size_t>(number)];
    if (!stream.known) {
      return;
    }
    const int64_t waiter = table_.correlation[stream.work[stream.next++]];
    for (const auto& [producer, position] : stream.pending.last) {
      if (producer != number) {  // its own past needs no wait
        result_.waits.push_back({waiter, table_.correlation[streams_[static_cast<size_t>(producer)].work[position]]});
      }
    }
    if (stream.pending.unknown) {
      result_.waits.push_back({waiter, kNoId});
    }
    stream.pending = {};
  }

  const Program& program_;
  const CommandRecords& commands_;
  const EventTable& table_;
  std::vector<StreamRecords> streams_;
  std::vector<Frontier> events_;  // at the latest record
  ResolvedWaits result_;
};

}  // namespace

ResolvedWaits resolve_waits(const Program& program, const CommandRecords& commands, const ProgramTarget& target,
                            const EventTable& events, int64_t iterations) {
  WaitSearch search(program, commands, events);
  search.take(stream_numbers(events, target));
  return search.run(iterations);
}

}  // namespace aaco
