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

// Times are relative to the window's start: doubles then hold them exactly.
struct ViewBox {
  uint32_t track = 0;
  uint16_t lane = 0;
  bool is_counter = false;
  uint32_t count = 1;  // 1: the event itself
  double start_ns = 0;
  double duration_ns = 0;
  // Of slices: the longest of those that are joined, its row and its label.
  double longest_ns = 0;
  uint32_t event = 0;
  uint32_t label = 0;
  // Of counters.
  double least = 0;
  double most = 0;
  double last = 0;
};
using ViewBoxes = std::vector<ViewBox>;

// Where more than 128 events a pixel lie in the window, what begins in a pixel is told by blocks of 64 slices:
// a box may then be a part of a pixel off. Appends to `boxes`.
void add_view(const TimelineIndex& index, size_t track, const ViewWindow& window, ViewBoxes& boxes);

// As an Arrow stream: the API's answer. Names are in the schema's metadata, those alone that are used.
std::string view_stream(const TimelineIndex& index, const ViewBoxes& boxes);

}  // namespace aaco::serve
