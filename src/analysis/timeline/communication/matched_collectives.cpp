// SPDX-License-Identifier: MIT
#include "analysis/timeline/communication/matched_collectives.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace aaco {

namespace {

// The kinds of one series may differ in size from one collective to the next.
auto series_of(const CollectiveKind& kind) {
  return std::tuple(kind.name, kind.group, kind.group_ranks, kind.group_size);
}

int64_t rank_of(const EventTable& events, const CollectiveKernel& kernel) {
  return events.tracks[events.track[kernel.event]].rank;
}

// Kernels that may match others, by series, rank and start.
std::vector<const CollectiveKernel*> members_of(const EventTable& events, const Communication& communication) {
  std::vector<const CollectiveKernel*> members;
  members.reserve(communication.kernels.size());
  for (const CollectiveKernel& kernel : communication.kernels) {
    if (rank_of(events, kernel) != kNoId && communication.kinds[kernel.kind].group_size != kNoId) {
      members.push_back(&kernel);
    }
  }
  std::sort(members.begin(), members.end(), [&](const CollectiveKernel* a, const CollectiveKernel* b) {
    const auto key = [&](const CollectiveKernel& kernel) {
      return std::tuple(series_of(communication.kinds[kernel.kind]), rank_of(events, kernel),
                        events.start_ns[kernel.event], kernel.event);
    };
    return key(*a) < key(*b);
  });
  return members;
}

}  // namespace

bool MatchedCollectives::comparable() const {
  return std::all_of(ranks.begin(), ranks.end(), [&](const OfRank& rank) { return rank.kernels.size() == count(); });
}

std::vector<MatchedCollectives> match_collectives(const EventTable& events, const Communication& communication) {
  const std::vector<const CollectiveKernel*> members = members_of(events, communication);
  const auto series_at = [&](size_t i) { return series_of(communication.kinds[members[i]->kind]); };
  std::vector<MatchedCollectives> all;
  for (size_t first = 0, behind = 0; first < members.size(); first = behind) {
    MatchedCollectives one{communication.kinds[members[first]->kind], {}};
    while (behind < members.size() && series_at(behind) == series_at(first)) {
      const size_t start = behind;
      const int64_t rank = rank_of(events, *members[start]);
      while (behind < members.size() && series_at(behind) == series_at(first) &&
             rank_of(events, *members[behind]) == rank) {
        ++behind;
      }
      const auto its = std::span(members).subspan(start, behind - start);
      one.ranks.push_back({rank, {its.begin(), its.end()}});
    }
    if (one.ranks.size() > 1) {
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace aaco
