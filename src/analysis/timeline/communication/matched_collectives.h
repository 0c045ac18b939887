// SPDX-License-Identifier: MIT
// The same collective on each rank of a job: the one at the same place in the order of its process group and name.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/timeline/communication/communication.h"

namespace aaco {

// Collectives of one name and group.
struct MatchedCollectives {
  CollectiveKind kind;  // of the first; sizes and types may differ from one to the next
  struct OfRank {
    int64_t rank = kNoId;
    std::vector<const CollectiveKernel*> kernels;  // by start
  };
  std::vector<OfRank> ranks;  // ascending, at least two

  // Whether each rank has as many: else their places tell nothing.
  bool comparable() const;
  size_t count() const { return ranks.front().kernels.size(); }
};

// What at least two ranks took part in. A kernel without the name of its collective and group, or without a rank, is in
// none. Points into `communication`.
std::vector<MatchedCollectives> match_collectives(const EventTable& events, const Communication& communication);

}  // namespace aaco
