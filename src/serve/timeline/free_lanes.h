// SPDX-License-Identifier: MIT
// Which row of a track a slice is drawn in: the first in which nothing is going on. Of calls within calls that is their
// depth; slices that overlap lie below each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace aaco::serve {

class FreeLanes {
 public:
  // Slices come by their start; of those that start together the longest first. The logarithm of the number of lanes.
  size_t take(int64_t start_ns, int64_t end_ns);
  size_t size() const { return used_; }

 private:
  void grow();

  size_t width_ = 0;  // leaves of the tree, a power of two
  size_t used_ = 0;
  std::vector<int64_t> least_end_;  // of the lanes below each node; [1] is the root
};

}  // namespace aaco::serve
