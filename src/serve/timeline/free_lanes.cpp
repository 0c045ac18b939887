// SPDX-License-Identifier: MIT
#include "serve/timeline/free_lanes.h"

#include <algorithm>

namespace aaco::serve {

void FreeLanes::grow() {
  const size_t width = std::max<size_t>(2 * width_, 4);
  std::vector<int64_t> tree(2 * width, INT64_MIN);
  std::copy(least_end_.begin() + static_cast<std::ptrdiff_t>(width_), least_end_.end(),
            tree.begin() + static_cast<std::ptrdiff_t>(width));
  for (size_t node = width; node-- > 1;) {
    tree[node] = std::min(tree[2 * node], tree[2 * node + 1]);
  }
  width_ = width;
  least_end_ = std::move(tree);
}

size_t FreeLanes::take(int64_t start_ns, int64_t end_ns) {
  if (width_ == 0 || least_end_[1] > start_ns) {
    grow();
  }
  size_t node = 1;
  while (node < width_) {
    node = least_end_[2 * node] <= start_ns ? 2 * node : 2 * node + 1;
  }
  const size_t lane = node - width_;
  least_end_[node] = end_ns;
  while (node > 1) {
    node /= 2;
    least_end_[node] = std::min(least_end_[2 * node], least_end_[2 * node + 1]);
  }
  used_ = std::max(used_, lane + 1);
  return lane;
}

}  // namespace aaco::serve
