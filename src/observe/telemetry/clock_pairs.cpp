// SPDX-License-Identifier: MIT
#include "observe/telemetry/clock_pairs.h"

namespace aaco {

namespace {

constexpr int kReadings = 3;

ClockPairRow narrowest(const char* name, int64_t (*clock)(), int64_t (*session)()) {
  ClockPairRow best;
  for (int i = 0; i < kReadings; ++i) {
    const int64_t before = session();
    const int64_t source = clock();
    const int64_t width = session() - before;
    if (i == 0 || width < best.width_ns) {
      best = {name, before, width, source};
    }
  }
  return best;
}

}  // namespace

std::vector<ClockPairRow> read_clock_pairs(const CollectorOptions& options) {
  return {narrowest(paired_clock::kWall, options.wall_ns, options.now_ns),
          narrowest(paired_clock::kBoot, options.boot_ns, options.now_ns)};
}

}  // namespace aaco
