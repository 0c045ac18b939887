// SPDX-License-Identifier: MIT
#include "analysis/timeline/critical_path/host_points.h"

#include <algorithm>
#include <limits>

#include "analysis/timeline/waiting_call.h"

namespace aaco {

namespace {

// From the first start to the last end of each track's operators and calls; reversed where it has none.
std::vector<Span> work_by_track(const EventTable& events) {
  constexpr Span kNone{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  std::vector<Span> spans(events.tracks.size(), kNone);
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.shape[i] == EventShape::kSlice &&
        (events.kind[i] == EventKind::kHostOp || events.kind[i] == EventKind::kHostCall)) {
      Span& span = spans[events.track[i]];
      span = {std::min(span.start_ns, events.start_ns[i]), std::max(span.end_ns, events.end_ns(i))};
    }
  }
  return spans;
}

// All that makes points, some of them several times.
struct PointSources {
  const EventTable& events;
  std::vector<Span> work;  // by track
  std::span<const DeviceWork> devices;
  const DeviceWaits& waits;
  std::span<const ThreadHandoff> handoffs;

  // `take(track, time)`.
  template <class Take>
  void each_point(const Take& take) const {
    for (uint32_t track = 0; track < work.size(); ++track) {
      if (work[track].start_ns <= work[track].end_ns) {
        take(track, work[track].start_ns);
        take(track, work[track].end_ns);
      }
    }
    for (const DeviceWork& device : devices) {
      for (const DeviceSlice& slice : device.slices) {
        if (const HostPoint point = launch_point(events, slice); point.track != HostPoint::kNoTrack) {
          take(point.track, point.time_ns);
        }
      }
    }
    for (const DeviceWaits::OfHost& wait : waits.host) {
      take(events.track[wait.call], events.end_ns(wait.call));
    }
    for (const ThreadHandoff& handoff : handoffs) {
      take(handoff.from.track, handoff.from.time_ns);
      take(handoff.to.track, handoff.to.time_ns);
    }
  }
};

// Whether calls wait, each name looked at once.
class WaitingCalls {
 public:
  explicit WaitingCalls(const StringTable& strings) : strings_(strings), known_(strings.size(), kUnknown) {}

  bool waits(StringId call) {
    int8_t& known = known_[call];
    if (known == kUnknown) {
      known = waits_for_device(strings_[call]) || may_sleep(strings_[call]) ? 1 : 0;
    }
    return known == 1;
  }

 private:
  static constexpr int8_t kUnknown = -1;

  const StringTable& strings_;
  std::vector<int8_t> known_;
};

// Adds up the work of one thread, from one point to the next.
class ThreadWork {
 public:
  ThreadWork(const EventTable& events, const HostSegments& segments, WaitingCalls& calls)
      : events_(events), segments_(segments), calls_(calls) {}

  // Not before the last one.
  int64_t between(int64_t from_ns, int64_t until_ns) {
    int64_t worked_ns = 0;
    for (; next_ < segments_.size() && segments_.start_ns[next_] < until_ns; ++next_) {
      const bool last = next_ + 1 == segments_.size();
      const int64_t behind_ns = last ? until_ns : segments_.start_ns[next_ + 1];
      const int64_t start_ns = std::max(segments_.start_ns[next_], from_ns);
      const int64_t end_ns = std::min(behind_ns, until_ns);
      worked_ns += end_ns > start_ns && is_work(segments_.event[next_]) ? end_ns - start_ns : 0;
      if (behind_ns > until_ns) {
        break;  // the rest of it lies behind the next point
      }
    }
    return worked_ns;
  }

 private:
  bool is_work(EventRow event) {
    return event != kNoEvent && events_.kind[event] != EventKind::kHostRange &&
           !(events_.kind[event] == EventKind::kHostCall && calls_.waits(events_.name[event]));
  }

  const EventTable& events_;
  HostSegments segments_;
  WaitingCalls& calls_;
  size_t next_ = 0;
};

}  // namespace

HostPoints::HostPoints(const EventTable& events, const HostTimeline& host, std::span<const DeviceWork> devices,
                       const DeviceWaits& waits, std::span<const ThreadHandoff> handoffs) {
  const PointSources sources{events, work_by_track(events), devices, waits, handoffs};
  std::vector<size_t> ends(events.tracks.size());
  sources.each_point([&](uint32_t track, int64_t) { ++ends[track]; });
  size_t total = 0;
  for (size_t& end : ends) {  // until the points are stored the start of each track
    const size_t count = end;
    end = total;
    total += count;
  }
  time_ns_.resize(total);
  sources.each_point([&](uint32_t track, int64_t time_ns) { time_ns_[ends[track]++] = time_ns; });
  auto start = time_ns_.begin();
  auto kept = start;
  for (const size_t its_end : ends) {
    const auto end = time_ns_.begin() + static_cast<std::ptrdiff_t>(its_end);
    std::sort(start, end);
    kept = std::copy(start, std::unique(start, end), kept);
    ends_.push_back(static_cast<uint32_t>(kept - time_ns_.begin()));
    start = end;
  }
  time_ns_.erase(kept, time_ns_.end());
  time_ns_.shrink_to_fit();
  add_work(events, host);
}

void HostPoints::add_work(const EventTable& events, const HostTimeline& host) {
  worked_ns_.resize(time_ns_.size());
  WaitingCalls calls(events.strings);
  size_t point = 0;
  for (uint32_t track = 0; track < ends_.size(); ++track) {
    ThreadWork work(events, host.segments(track), calls);
    for (size_t first = point; point < ends_[track]; ++point) {
      worked_ns_[point] = point == first ? kFirst : work.between(time_ns_[point - 1], time_ns_[point]);
    }
  }
}

uint32_t HostPoints::track(uint32_t point) const {
  return static_cast<uint32_t>(std::upper_bound(ends_.begin(), ends_.end(), point) - ends_.begin());
}

uint32_t HostPoints::find(const HostPoint& point) const {
  const auto start = time_ns_.begin() + (point.track == 0 ? 0 : ends_[point.track - 1]);
  const auto end = time_ns_.begin() + ends_[point.track];
  return static_cast<uint32_t>(std::lower_bound(start, end, point.time_ns) - time_ns_.begin());
}

}  // namespace aaco
