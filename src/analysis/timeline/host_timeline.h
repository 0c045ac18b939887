// SPDX-License-Identifier: MIT
// What a host thread was in at each moment: the innermost event that is recorded there, as spans without overlap.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/memory/growing_array.h"
#include "record/events/event_row.h"
#include "record/events/event_table.h"

namespace aaco {

// The spans of one thread, in order. Before the first nothing is recorded.
struct HostSegments {
  std::span<const int64_t> start_ns;  // of each, to the next one's
  std::span<const EventRow> event;    // kNoEvent where nothing is recorded, as after the last end

  size_t size() const { return event.size(); }
  // The segment that holds `time_ns`, as an index; size() before the first.
  size_t at(int64_t time_ns) const;
};

class HostTimeline {
 public:
  // Of the slices of `kinds`. Innermost is, of those that cover a moment, the one that began last; of those that began
  // together the shortest. It need not lie within the others.
  HostTimeline(const EventTable& events, std::span<const EventKind> kinds);

  // Of one track.
  HostSegments segments(uint32_t track) const;
  // The event in which the thread was, or kNoEvent.
  EventRow at(uint32_t track, int64_t time_ns) const;

 private:
  void add_track(const EventTable& events, std::span<const EventRow> ordered);

  GrowingArray<int64_t> start_ns_;  // of each segment
  GrowingArray<EventRow> event_;
  std::vector<size_t> ends_;  // by track
};

}  // namespace aaco
