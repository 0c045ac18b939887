// SPDX-License-Identifier: MIT
// Rows for slices that one row cannot show: viewers of traces take the slices of a row for a stack of calls, and drop
// or move what is none.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "record/intervals.h"

namespace aaco {

// For work of a device, which runs side by side and calls nothing: slices of a lane do not overlap. As few lanes as can
// be; a slice goes to the first one that is free.
class DisjointLanes {
 public:
  // In the order of start, then of end.
  uint32_t place(const Span& slice);

 private:
  template <class T>
  using Least = std::priority_queue<T, std::vector<T>, std::greater<T>>;

  Least<std::pair<int64_t, uint32_t>> busy_;  // end and lane
  Least<uint32_t> free_;
  uint32_t lanes_ = 0;
};

// For calls of a thread: a slice of a lane lies within another one or apart from it. It goes to the lane where the
// shortest one lies that encloses it, else to one where nothing is open.
class NestedLanes {
 public:
  // In the order of start, of those the longest first.
  uint32_t place(const Span& slice);

 private:
  void close_until(int64_t time_ns);

  std::vector<std::vector<int64_t>> open_;      // ends, by lane, the innermost last
  std::set<std::pair<int64_t, uint32_t>> top_;  // innermost end and lane, of lanes with something open
  std::set<uint32_t> free_;
};

}  // namespace aaco
