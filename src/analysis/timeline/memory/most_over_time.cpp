// SPDX-License-Identifier: MIT
#include "analysis/timeline/memory/most_over_time.h"

#include <algorithm>

namespace aaco {

void MostOverTime::add(int64_t time_ns, int64_t before, int64_t after) {
  const int64_t part = (time_ns - start_ns_) / part_ns_;
  while (static_cast<int64_t>(parts_.size()) <= part) {
    parts_.push_back({start_ns_ + static_cast<int64_t>(parts_.size()) * part_ns_, before});
  }
  parts_.back().most = std::max(parts_.back().most, after);
}

}  // namespace aaco
