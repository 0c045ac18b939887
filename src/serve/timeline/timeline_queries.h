// SPDX-License-Identifier: MIT
// What is asked of a timeline beside its picture: names searched, a selection added up, one event, the worst gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serve/timeline/timeline_index.h"

namespace aaco::serve {

struct TimelineEvent {
  size_t track = 0;
  LaneSlice slice;
};

struct SearchResult {
  std::vector<TimelineEvent> matches;  // by time on each track, the tracks in their order
  uint64_t total = 0;
};
// Events whose name contains the text, whatever the case of ASCII letters. Linear in the events.
SearchResult search_names(const TimelineIndex& index, std::string_view text, size_t limit);

struct NameTotal {
  uint32_t label = 0;
  uint64_t count = 0;
  int64_t total_ns = 0;
  int64_t longest_ns = 0;
};
struct TrackBusy {
  size_t track = 0;
  int64_t busy_ns = 0;  // at least one slice going on
};
struct SelectionStatistics {
  std::vector<NameTotal> names;  // the largest total first
  std::vector<TrackBusy> tracks;
};
// Of tracks of slices; each slice by its part between the two times. Linear in the slices there.
SelectionStatistics selection_statistics(const TimelineIndex& index, std::span<const size_t> tracks, int64_t from_ns,
                                         int64_t to_ns);

// None where no lane has the row. Idle spans have rows too, from outline().table_events on.
std::optional<TimelineEvent> event_of_row(const TimelineIndex& index, uint32_t row);

// The longest idle spans of all devices, the longest first.
std::vector<TimelineEvent> worst_gaps(const TimelineIndex& index, size_t limit);

}  // namespace aaco::serve
