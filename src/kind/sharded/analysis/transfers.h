// SPDX-License-Identifier: MIT
// Of each collective, what its transfer takes and what is waiting: the rank that came last waited for nobody, so that
// the shortest of the ranks' times is the transfer, and the rest of each other's is waiting.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/timeline/device_work.h"
#include "kind/sharded/analysis/overlap_figures.h"

namespace aaco {

struct CollectiveTransfers {
  struct OfRank {
    double waited_ns = 0;  // of a step
    int64_t last = 0;      // of all steps: it began after each other rank by more than their clocks may differ
  };
  std::vector<CollectiveOverlap> collectives;  // longest transfer first
  std::map<int64_t, OfRank> ranks;
  std::vector<double> by_step_ns;  // their transfers
  std::vector<std::string> unavailable;
};

// `devices` of `events`, by rank; `nodes` as of OverlapRecords.
CollectiveTransfers collective_transfers(const EventTable& events, const std::vector<DeviceWork>& devices,
                                         const LaunchIndex& launches, int64_t steps,
                                         const std::vector<RankNode>& nodes);

}  // namespace aaco
