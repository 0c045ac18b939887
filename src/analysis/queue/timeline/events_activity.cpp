// SPDX-License-Identifier: MIT
#include "analysis/queue/timeline/events_activity.h"

#include <optional>

#include "analysis/timeline/event_arguments.h"

namespace aaco {

namespace {

std::optional<ActivityKind> kind_of(const EventTable& events, size_t event) {
  switch (events.kind[event]) {
    case EventKind::kKernel:
      return ActivityKind::kKernel;
    case EventKind::kCopy:
      return ActivityKind::kCopy;
    case EventKind::kSet:
      return ActivityKind::kSet;
    case EventKind::kHostCall:
      return events.strings[events.category[event]] == "synchronize" ? ActivityKind::kSync : ActivityKind::kLaunchCall;
    default:
      return std::nullopt;
  }
}

}  // namespace

ActivityRun activity_of(const EventTable& events) {
  ActivityRun run;
  run.dropped = events.losses.count(Loss::kDropped);
  for (size_t event = 0; event < events.size(); ++event) {
    const auto kind = kind_of(events, event);
    if (!kind || events.shape[event] != EventShape::kSlice) {
      continue;
    }
    const Track& track = events.tracks[events.track[event]];
    ActivityRecord record;
    record.kind = *kind;
    record.start_ns = events.start_ns[event];
    record.end_ns = events.end_ns(event);
    const int64_t correlation = events.correlation[event];
    record.correlation = correlation == kNoId ? kNoCorrelation : static_cast<uint64_t>(correlation);
    record.stream = track.stream == kNoId ? events.track[event] : static_cast<uint64_t>(track.stream);
    record.device = track.device == kNoId ? 0 : static_cast<uint32_t>(track.device);
    record.name = events.name[event];
    record.graph_node = static_cast<uint32_t>(integer_argument(events, event, "graph node id").value_or(0));
    run.records.push_back(record);
  }
  return run;
}

}  // namespace aaco
