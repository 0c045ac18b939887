// SPDX-License-Identifier: MIT
#include "analysis/timeline/host_timeline.h"

#include <algorithm>
#include <tuple>

namespace aaco {

HostTimeline::HostTimeline(const EventTable& events, std::span<const EventKind> kinds) {
  std::vector<uint64_t> rows;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.shape[i] == EventShape::kSlice && events.duration_ns[i] > 0 &&
        std::find(kinds.begin(), kinds.end(), events.kind[i]) != kinds.end()) {
      rows.push_back(i);
    }
  }
  std::sort(rows.begin(), rows.end(), [&](uint64_t a, uint64_t b) {
    return std::tuple(events.track[a], events.start_ns[a], events.duration_ns[b], a) <
           std::tuple(events.track[b], events.start_ns[b], events.duration_ns[a], b);
  });
  ends_.reserve(events.tracks.size());
  for (size_t track = 0, first = 0; track < events.tracks.size(); ++track) {
    size_t behind = first;
    while (behind < rows.size() && events.track[rows[behind]] == track) {
      ++behind;
    }
    add_track(events, std::span(rows).subspan(first, behind - first));
    ends_.push_back(segments_.size());
    first = behind;
  }
}

// Keeps the events that have begun, the last one on top; one that has ended is taken away when it comes to lie on top.
void HostTimeline::add_track(const EventTable& events, std::span<const uint64_t> ordered) {
  std::vector<uint64_t> open;
  const auto end_until = [&](int64_t time_ns) {
    while (!open.empty() && events.end_ns(open.back()) <= time_ns) {
      const int64_t ended_ns = events.end_ns(open.back());
      while (!open.empty() && events.end_ns(open.back()) <= ended_ns) {
        open.pop_back();
      }
      segments_.push_back({ended_ns, open.empty() ? HostSegment::kNone : open.back()});
    }
  };
  for (const uint64_t row : ordered) {
    const int64_t start_ns = events.start_ns[row];
    end_until(start_ns);
    if (!segments_.empty() && segments_.size() > (ends_.empty() ? 0 : ends_.back()) &&
        segments_.back().start_ns == start_ns) {
      segments_.pop_back();  // it would be empty
    }
    segments_.push_back({start_ns, row});
    open.push_back(row);
  }
  end_until(INT64_MAX);
}

std::span<const HostSegment> HostTimeline::of(uint32_t track) const {
  const size_t begin = track == 0 ? 0 : ends_[track - 1];
  return std::span(segments_).subspan(begin, ends_[track] - begin);
}

uint64_t HostTimeline::at(uint32_t track, int64_t time_ns) const {
  const auto segments = of(track);
  const size_t i = segment_at(segments, time_ns);
  return i == segments.size() ? HostSegment::kNone : segments[i].event;
}

size_t segment_at(std::span<const HostSegment> segments, int64_t time_ns) {
  const auto behind =
      std::upper_bound(segments.begin(), segments.end(), time_ns,
                       [](int64_t time, const HostSegment& segment) { return time < segment.start_ns; });
  return behind == segments.begin() ? segments.size() : static_cast<size_t>(behind - segments.begin()) - 1;
}

}  // namespace aaco
