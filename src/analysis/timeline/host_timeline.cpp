// SPDX-License-Identifier: MIT
#include "analysis/timeline/host_timeline.h"

#include <algorithm>
#include <tuple>

#include "analysis/timeline/lookup/row_groups.h"

namespace aaco {

HostTimeline::HostTimeline(const EventTable& events, std::span<const EventKind> kinds) {
  RowGroups rows(events.size(), events.tracks.size(), [&](size_t i) {
    const bool covers = events.shape[i] == EventShape::kSlice && events.duration_ns[i] > 0 &&
                        std::find(kinds.begin(), kinds.end(), events.kind[i]) != kinds.end();
    return covers ? events.track[i] : RowGroups::kNone;
  });
  rows.sort([&](EventRow a, EventRow b) {
    return std::tuple(events.start_ns[a], events.duration_ns[b], a) <
           std::tuple(events.start_ns[b], events.duration_ns[a], b);
  });
  start_ns_.reserve(2 * rows.all().size());  // the most there can be: what stays empty is address space only
  event_.reserve(2 * rows.all().size());
  ends_.reserve(rows.groups());
  for (size_t track = 0; track < rows.groups(); ++track) {
    add_track(events, rows.group(track));
    ends_.push_back(event_.size());
  }
}

// Keeps the events that have begun, the last one on top; one that has ended is taken away when it comes to lie on top.
void HostTimeline::add_track(const EventTable& events, std::span<const EventRow> ordered) {
  const size_t first = event_.size();
  const auto add = [&](int64_t start_ns, EventRow event) {
    if (event_.size() > first && start_ns_.back() == start_ns) {
      event_.back() = event;  // the one before would be empty
      return;
    }
    start_ns_.push_back(start_ns);
    event_.push_back(event);
  };
  std::vector<EventRow> open;
  const auto end_until = [&](int64_t time_ns) {
    while (!open.empty() && events.end_ns(open.back()) <= time_ns) {
      const int64_t ended_ns = events.end_ns(open.back());
      while (!open.empty() && events.end_ns(open.back()) <= ended_ns) {
        open.pop_back();
      }
      add(ended_ns, open.empty() ? kNoEvent : open.back());
    }
  };
  for (const EventRow row : ordered) {
    end_until(events.start_ns[row]);
    add(events.start_ns[row], row);
    open.push_back(row);
  }
  end_until(INT64_MAX);
}

HostSegments HostTimeline::segments(uint32_t track) const {
  const size_t start = track == 0 ? 0 : ends_[track - 1];
  const size_t count = ends_[track] - start;
  return {start_ns_.view().subspan(start, count), event_.view().subspan(start, count)};
}

EventRow HostTimeline::at(uint32_t track, int64_t time_ns) const {
  const HostSegments own = segments(track);
  const size_t i = own.at(time_ns);
  return i == own.size() ? kNoEvent : own.event[i];
}

size_t HostSegments::at(int64_t time_ns) const {
  const auto behind = std::upper_bound(start_ns.begin(), start_ns.end(), time_ns);
  return behind == start_ns.begin() ? size() : static_cast<size_t>(behind - start_ns.begin()) - 1;
}

}  // namespace aaco
