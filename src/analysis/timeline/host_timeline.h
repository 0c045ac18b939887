// SPDX-License-Identifier: MIT
// What a host thread was in at each moment: the innermost event that is recorded there, as spans without overlap.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/event_table.h"

namespace aaco {

struct HostSegment {
  static constexpr uint64_t kNone = UINT64_MAX;

  int64_t start_ns = 0;    // to the next one's start
  uint64_t event = kNone;  // its row; kNone where nothing is recorded, as after the last end
};

class HostTimeline {
 public:
  // Of the slices of `kinds`. Innermost is, of those that cover a moment, the one that began last; of those that began
  // together the shortest. It need not lie within the others.
  HostTimeline(const EventTable& events, std::span<const EventKind> kinds);

  // Of one track, in order; before the first nothing is recorded.
  std::span<const HostSegment> of(uint32_t track) const;
  // The event in which the thread was, or kNone.
  uint64_t at(uint32_t track, int64_t time_ns) const;

 private:
  void add_track(const EventTable& events, std::span<const uint64_t> ordered);

  std::vector<HostSegment> segments_;
  std::vector<size_t> ends_;  // by track
};

// The segment that holds `time_ns`, as an index; segments.size() before the first.
size_t segment_at(std::span<const HostSegment> segments, int64_t time_ns);

}  // namespace aaco
