// SPDX-License-Identifier: MIT
#include "experiment/queue/activity_events.h"

#include <fmt/format.h>
#include <map>

#include "experiment/queue/stream_numbers.h"

namespace aaco {

namespace {

struct KindOfEvent {
  EventKind kind;
  const char* category;
};

KindOfEvent kind_of(ActivityKind kind) {
  switch (kind) {
    case ActivityKind::kKernel:
      return {EventKind::kKernel, "kernel"};
    case ActivityKind::kCopy:
      return {EventKind::kCopy, "copy"};
    case ActivityKind::kSet:
      return {EventKind::kSet, "set"};
    case ActivityKind::kLaunchCall:
      return {EventKind::kHostCall, "launch"};
    case ActivityKind::kSync:
      return {EventKind::kHostCall, "synchronize"};
  }
  return {EventKind::kOther, "other"};
}

class ActivityTable {
 public:
  ActivityTable(const ActivitySink& sink, const ProgramTarget& target, const std::string& name)
      : sink_(sink), numbers_(target) {
    events_.recordings.push_back({name, "aaco"});
  }

  void add(const ActivityRecord& record) {
    const KindOfEvent kind = kind_of(record.kind);
    TraceEvent event;
    event.start_ns = record.start_ns;
    event.duration_ns = record.end_ns - record.start_ns;
    event.correlation = record.correlation == kNoCorrelation ? kNoId : static_cast<int64_t>(record.correlation);
    event.name = events_.strings.intern(sink_.name(record.name));
    event.category = events_.strings.intern(kind.category);
    event.kind = kind.kind;
    event.track = track_of(record, kind.kind);
    std::vector<Argument> arguments;
    if (record.kind == ActivityKind::kCopy || record.kind == ActivityKind::kSet) {
      arguments.push_back({events_.strings.intern("bytes"), ArgumentType::kInteger, record.bytes});
    }
    if (record.graph_node != 0) {
      arguments.push_back({events_.strings.intern("graph node id"), ArgumentType::kInteger, record.graph_node});
    }
    events_.add(event, arguments);
  }

  EventTable finish() {
    if (const uint64_t dropped = sink_.dropped_count(); dropped > 0) {
      events_.losses.add(Loss::kDropped, dropped);
    }
    return std::move(events_);
  }

 private:
  uint32_t track_of(const ActivityRecord& record, EventKind kind) {
    const bool on_device = is_on_device(kind);
    const auto key = std::pair(on_device ? int64_t{record.device} : int64_t{-1}, record.stream);
    const auto [found, made] = tracks_.try_emplace(key, static_cast<uint32_t>(events_.tracks.size()));
    if (made) {
      Track track;
      if (on_device) {
        const auto number = numbers_.of(record);
        const auto stream = number ? int64_t{*number} : static_cast<int64_t>(record.stream);
        track.device = record.device;
        track.stream = stream;
        track.process = events_.strings.intern(fmt::format("device {}", record.device));
        track.thread = events_.strings.intern(fmt::format("stream {}", stream));
      } else {
        track.process = events_.strings.intern("host");
        track.thread = events_.strings.intern(fmt::format("thread {}", record.stream));
      }
      track.process_name = track.process;
      track.thread_name = track.thread;
      events_.tracks.push_back(track);
    }
    return found->second;
  }

  const ActivitySink& sink_;
  StreamNumbers numbers_;
  EventTable events_;
  std::map<std::pair<int64_t, uint64_t>, uint32_t> tracks_;
};

}  // namespace

EventTable events_of_activity(const std::vector<ActivityRecord>& records, const ActivitySink& sink,
                              const ProgramTarget& target, const std::string& name) {
  ActivityTable table(sink, target, name);
  for (const ActivityRecord& record : records) {
    table.add(record);
  }
  return table.finish();
}

}  // namespace aaco
