// SPDX-License-Identifier: MIT
#include "experiment/training/step_ranges.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

#include "experiment/queue/activity_events.h"

namespace aaco {

RangeRecorder::RangeRecorder(int64_t (*now_ns)()) : now_ns_(now_ns) {}

RangeListener RangeRecorder::listener() {
  return {"recorder",
          [this](const char* name) {
            spans_.push_back({name, static_cast<int32_t>(open_.size()), now_ns_(), -1});
            open_.push_back(spans_.size() - 1);
          },
          [this] {
            if (!open_.empty()) {
              spans_[open_.back()].end_ns = now_ns_();
              open_.pop_back();
            }
          }};
}

std::vector<RangeSpan> RangeRecorder::take() {
  std::vector<RangeSpan> spans;
  std::copy_if(spans_.begin(), spans_.end(), std::back_inserter(spans),
               [](const RangeSpan& span) { return span.end_ns >= span.start_ns; });
  spans_.clear();
  open_.clear();
  return spans;
}

namespace {

bool is_work(const ActivityRecord& record) {
  return record.kind == ActivityKind::kKernel || record.kind == ActivityKind::kCopy ||
         record.kind == ActivityKind::kSet;
}

struct DeviceSpan {
  uint32_t device = 0;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
};

// When the work ran whose calls lie within the span.
std::optional<DeviceSpan> on_device(const RangeSpan& span, const std::vector<ActivityRecord>& records) {
  std::set<uint64_t> correlations;
  for (const ActivityRecord& record : records) {
    if (record.kind == ActivityKind::kLaunchCall && record.start_ns >= span.start_ns &&
        record.start_ns <= span.end_ns) {
      correlations.insert(record.correlation);
    }
  }
  std::optional<DeviceSpan> ran;
  for (const ActivityRecord& record : records) {
    if (!is_work(record) || !correlations.contains(record.correlation)) {
      continue;
    }
    if (!ran) {
      ran = DeviceSpan{record.device, record.start_ns, record.end_ns};
    }
    ran->start_ns = std::min(ran->start_ns, record.start_ns);
    ran->end_ns = std::max(ran->end_ns, record.end_ns);
  }
  return ran;
}

class PhaseRows {
 public:
  explicit PhaseRows(EventTable& events) : events_(events) {}

  void add_host(const RangeSpan& span, const std::string& row) {
    add(span.name, span.start_ns, span.end_ns, EventKind::kHostRange, track_of("host", row, kNoId));
  }
  void add_device(const std::string& name, const DeviceSpan& ran, const std::string& row) {
    add(name, ran.start_ns, ran.end_ns, EventKind::kDeviceRange,
        track_of(fmt::format("device {}", ran.device), row, ran.device));
  }

 private:
  void add(const std::string& name, int64_t start_ns, int64_t end_ns, EventKind kind, uint32_t track) {
    TraceEvent event;
    event.start_ns = start_ns;
    event.duration_ns = end_ns - start_ns;
    event.name = events_.strings.intern(name);
    event.category = events_.strings.intern("phase");
    event.kind = kind;
    event.track = track;
    events_.add(event, {});
  }

  uint32_t track_of(const std::string& process, const std::string& row, int64_t device) {
    const auto [found, made] = tracks_.try_emplace({process, row}, static_cast<uint32_t>(events_.tracks.size()));
    if (made) {
      Track track;
      track.process = events_.strings.intern(process);
      track.thread = events_.strings.intern(row);
      track.device = device;
      track.process_name = track.process;
      track.thread_name = track.thread;
      events_.tracks.push_back(track);
    }
    return found->second;
  }

  EventTable& events_;
  std::map<std::pair<std::string, std::string>, uint32_t> tracks_;
};

}  // namespace

EventTable events_of_step(const std::vector<ActivityRecord>& records, const std::vector<RangeSpan>& spans,
                          const ActivitySink& sink, const ProgramTarget& target) {
  EventTable events = events_of_activity(records, sink, target, "step");
  PhaseRows rows(events);
  constexpr const char* kLevels[] = {"phases", "layers"};
  for (const RangeSpan& span : spans) {
    const char* const level = kLevels[std::min<int32_t>(span.depth, 1)];
    rows.add_host(span, fmt::format("{}, as they were enqueued", level));
    if (const auto ran = on_device(span, records)) {
      rows.add_device(span.name, *ran, fmt::format("{}, as they ran", level));
    }
  }
  return events;
}

}  // namespace aaco
