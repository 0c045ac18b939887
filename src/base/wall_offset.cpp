// SPDX-License-Identifier: MIT
#include "base/wall_offset.h"

#include "base/clock.h"

namespace aaco {

WallOffset wall_offset() {
  WallOffset best{0, INT64_MAX};
  for (int i = 0; i < 16; ++i) {
    const int64_t before = monotonic_ns();
    const int64_t wall = wall_clock_ns();
    const int64_t after = monotonic_ns();
    if (after - before < best.error_ns) {
      best = {wall - before, after - before};
    }
  }
  return best;
}

}  // namespace aaco
