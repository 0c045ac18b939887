// SPDX-License-Identifier: MIT
// What is to be drawn of tracks between two times on so many pixels: events as they are where they are wide enough, and
// one box for all that begins in one pixel, with how many there are and the longest of them. The longest is always
// drawn, however much lies beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "serve/timeline/timeline_index.h"

namespace aaco::serve {

struct ViewWindow {
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  uint32_t pixels = 1;
};

inline constexpr uint32_t kMostPixels = 8192;

// A row for each box. Times are relative to the window's start: doubles then hold them exactly.
struct ViewBoxes {
  std::vector<uint32_t> track;
  std::vector<uint16_t> lane;
  std::vector<double> start_ns;
  std::vector<double> duration_ns;
  std::vector<uint32_t> count;     // 1: the event itself
  std::vector<double> longest_ns;  // of those that are joined
  std::vector<double> event;       // row of the longest; of counters nothing
  std::vector<uint32_t> name;      // label of the longest
  std::vector<uint8_t> category;
  std::vector<double> least, most, last;  // of counters

  size_t size() const { return track.size(); }
};

// Where more events than kExactEvents a pixel lie in the window, what begins in a pixel is told by blocks of 64 slices:
// a box may then be a part of a pixel off. Appends to `boxes`.
void add_view(const TimelineIndex& index, size_t track, const ViewWindow& window, ViewBoxes& boxes);

// As an Arrow stream: the API's answer. Names are in the schema's metadata, those alone that are used.
std::string view_stream(const TimelineIndex& index, const ViewBoxes& boxes);

}  // namespace aaco::serve
