// SPDX-License-Identifier: MIT
#include "export/lanes.h"

namespace aaco {

uint32_t DisjointLanes::place(const Span& slice) {
  for (; !busy_.empty() && busy_.top().first <= slice.start_ns; busy_.pop()) {
    free_.push(busy_.top().second);
  }
  uint32_t lane = lanes_;
  if (free_.empty()) {
    ++lanes_;
  } else {
    lane = free_.top();
    free_.pop();
  }
  busy_.emplace(slice.end_ns, lane);
  return lane;
}

void NestedLanes::close_until(int64_t time_ns) {
  while (!top_.empty() && top_.begin()->first <= time_ns) {
    const uint32_t lane = top_.begin()->second;
    top_.erase(top_.begin());
    std::vector<int64_t>& ends = open_[lane];
    ends.pop_back();
    if (ends.empty()) {
      free_.insert(lane);
    } else {
      top_.emplace(ends.back(), lane);
    }
  }
}

uint32_t NestedLanes::place(const Span& slice) {
  close_until(slice.start_ns);
  const auto around = top_.lower_bound({slice.end_ns, 0});
  uint32_t lane = 0;
  if (around != top_.end()) {
    lane = around->second;
    top_.erase(around);
  } else if (!free_.empty()) {
    lane = *free_.begin();
    free_.erase(free_.begin());
  } else {
    lane = static_cast<uint32_t>(open_.size());
    open_.emplace_back();
  }
  open_[lane].push_back(slice.end_ns);
  top_.emplace(slice.end_ns, lane);
  return lane;
}

}  // namespace aaco
