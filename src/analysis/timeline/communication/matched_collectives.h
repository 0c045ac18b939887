// SPDX-License-Identifier: MIT
// The same collective on each rank of a job. Recorded numbers of a process group tell which are the same; without them
// the order may (collective_order.h), for ranks need not begin to record at the same collective.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/timeline/communication/collective_order.h"
#include "analysis/timeline/communication/communication.h"

namespace aaco {

// Whether all ranks recorded the same collectives, so that the first is the first of all.
enum class RankWindows : uint8_t { kUnknown, kSame };

// Collectives of one name and group.
struct MatchedCollectives {
  CollectiveKind kind;  // of the first; sizes and types may differ from one to the next
  struct OfRank {
    int64_t rank = kNoId;
    MatchBasis basis = MatchBasis::kNone;
    std::vector<const CollectiveKernel*> recorded;  // by start

    bool is_placed() const { return basis == MatchBasis::kSequence || basis == MatchBasis::kOrder; }
  };
  struct Holder {
    int64_t place = 0;  // the same is the same collective on each rank
    size_t rank = 0;    // index of `ranks`
    const CollectiveKernel* kernel = nullptr;
  };
  using Place = std::span<const Holder>;  // of one collective, by rank
  std::vector<OfRank> ranks;              // ascending, at least two
  // By place and rank, of the ranks that are placed. What a rank's recording does not hold takes no room: each rank may
  // have numbered its collectives for itself.
  std::vector<Holder> holders;

  MatchBasis basis() const;                    // the least that is known of any rank
  std::vector<Place> shared_places() const;    // that several ranks hold
  std::vector<Place> complete_places() const;  // that each rank holds
};

// What at least two ranks took part in. A kernel without the name of its collective and group, or without a rank, is in
// none. Points into `communication`.
std::vector<MatchedCollectives> match_collectives(const EventTable& events, const Communication& communication,
                                                  RankWindows windows = RankWindows::kUnknown);

// All-reduce, all-gather, reduce-scatter and all-to-all end on no rank before all have begun.
bool needs_all_ranks(const EventTable& events, const CollectiveKind& kind);

}  // namespace aaco
