// SPDX-License-Identifier: MIT
#include "kind/training/worker/step_ranges.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

#include "record/device/device_rows.h"

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

struct DeviceSpan {
  uint32_t device = 0;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
};

// When the work ran whose calls lie within the span.
std::optional<DeviceSpan> on_device(const RangeSpan& span, const EventTable& events) {
  std::set<int64_t> correlations;
  for (size_t i = 0; i < events.size(); ++i) {
    if (is_launch_call(events, i) && events.start_ns[i] >= span.start_ns && events.start_ns[i] <= span.end_ns) {
      correlations.insert(events.correlation[i]);
    }
  }
  std::optional<DeviceSpan> ran;
  for (size_t i = 0; i < events.size(); ++i) {
    if (!is_device_work(events.kind[i]) || !correlations.contains(events.correlation[i])) {
      continue;
    }
    if (!ran) {
      ran = DeviceSpan{stream_of(events, i).device, events.start_ns[i], events.end_ns(i)};
    }
    ran->start_ns = std::min(ran->start_ns, events.start_ns[i]);
    ran->end_ns = std::max(ran->end_ns, events.end_ns(i));
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

EventTable events_of_step(EventTable events, const std::vector<RangeSpan>& spans) {
  PhaseRows rows(events);
  constexpr const char* kLevels[] = {"phases", "layers"};
  for (const RangeSpan& span : spans) {
    const char* const level = kLevels[std::min<int32_t>(span.depth, 1)];
    rows.add_host(span, fmt::format("{}, as they were enqueued", level));
    if (const auto ran = on_device(span, events)) {
      rows.add_device(span.name, *ran, fmt::format("{}, as they ran", level));
    }
  }
  return events;
}

}  // namespace aaco
