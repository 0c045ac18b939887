// SPDX-License-Identifier: MIT
// Ranks of one job side by side, on one clock. Who arrives last keeps the others waiting.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/timeline/communication/clock_alignment.h"
#include "analysis/timeline/communication/communication.h"
#include "analysis/timeline/communication/late_verdict.h"
#include "analysis/timeline/communication/matched_collectives.h"

namespace aaco {

struct RankShare {
  int64_t rank = kNoId;
  uint64_t kernels = 0;
  uint64_t last = 0;      // collectives in which it alone began last
  int64_t waited_ns = 0;  // sum of: how long its kernel ran before the last one began
  int64_t median_ns = 0;  // of its kernels' durations
};

// A collective of a process group, by name.
struct RankComparison {
  StringId name = kEmptyString;
  StringId group = kEmptyString;
  StringId group_ranks = kEmptyString;
  int64_t group_size = kNoId;
  std::vector<RankShare> ranks;          // ascending; those that the trace holds
  MatchBasis basis = MatchBasis::kNone;  // how it is known which are the same
  // Collectives compared: those that each rank recorded; 0 where it is not known which are the same. The figures below,
  // and the ranks' `last` and `waited_ns`, are of these.
  uint64_t compared = 0;
  int64_t median_skew_ns = 0;  // last start - first start
  int64_t max_skew_ns = 0;
  int64_t median_end_spread_ns =
      0;              // last end - first end; small where each rank needs all others and the clocks agree
  size_t latest = 0;  // index of the rank that was last most often
  LateVerdict late = LateVerdict::kUndetermined;  // whether that is more than chance
  // Bytes in a nanosecond over the shortest participant of each collective, which waited for nobody; of those with a
  // known size.
  std::optional<double> algorithm_bandwidth;
  std::optional<double> bus_bandwidth;
};

// By number of collectives.
std::vector<RankComparison> compare_ranks(const EventTable& events, const Communication& communication,
                                          const std::vector<MatchedCollectives>& collectives,
                                          const ClockAlignment& clocks);

}  // namespace aaco
