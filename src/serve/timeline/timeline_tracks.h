// SPDX-License-Identifier: MIT
// What a timeline consists of: tracks of slices and of counters, by the numbers that the API gives them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/text/enum_words.h"

namespace aaco::serve {

enum class TrackType : uint8_t { kSlices, kCounter };

}  // namespace aaco::serve

namespace aaco {

template <>
inline constexpr EnumWords<serve::TrackType, 2> kWordsOf<serve::TrackType>{{"slices", "counter"}};

}  // namespace aaco

namespace aaco::serve {

// Bytes of the index file.
struct IndexPart {
  uint64_t count = 0;  // of slices or points
  uint64_t at = 0;
  uint64_t bytes = 0;
};

struct TimelineTrack {
  std::string group;  // "rank 0 device 1", or the process
  std::string name;
  TrackType type = TrackType::kSlices;
  bool is_idle = false;          // spans of a device's idle time, each with its cause as its name
  std::vector<IndexPart> lanes;  // of slices
  IndexPart points;              // of a counter
  std::string unit;
  double min = 0;  // of a counter's values
  double max = 0;
  int64_t table_track = -1;  // of the event table

  uint64_t events() const;
};

// All of an index but its bytes.
struct TimelineOutline {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  std::optional<int64_t> origin_wall_ns;  // the wall clock's time at 0
  uint64_t table_events = 0;              // of the session's table; rows from here on are idle spans
  uint64_t stored_events = 0;             // of them, those that SQL has too: others were joined from other planes
  uint64_t left_out = 0;                  // events that are no slices, instants or counters
  std::vector<std::string> categories;
  std::vector<TimelineTrack> tracks;
  IndexPart labels;    // count: how many; category of each, ends of their names, the names
  std::string source;  // what the session was when this was made
};

// In place of a source: of a session that is still being recorded.
inline constexpr const char* kGrowingSource = "growing";

Json to_outline_json(const TimelineOutline& outline);
// Throws what nlohmann-json throws.
TimelineOutline outline_of_json(const Json& json);

}  // namespace aaco::serve
