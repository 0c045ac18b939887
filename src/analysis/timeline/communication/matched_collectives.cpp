// SPDX-License-Identifier: MIT
#include "analysis/timeline/communication/matched_collectives.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace aaco {

namespace {

struct Member {
  const CollectiveKernel* kernel;
  int64_t rank;
};

// The kinds of one series may differ in size from one collective to the next.
auto series_of(const CollectiveKind& kind) {
  return std::tuple(kind.name, kind.group, kind.group_ranks, kind.group_size);
}

std::vector<Member> members_of(const EventTable& events, const Communication& communication) {
  std::vector<Member> members;
  for (const CollectiveKernel& kernel : communication.kernels) {
    const int64_t rank = events.tracks[events.track[kernel.event]].rank;
    if (rank != kNoId && communication.kinds[kernel.kind].group_size != kNoId) {
      members.push_back({&kernel, rank});
    }
  }
  std::sort(members.begin(), members.end(), [&](const Member& a, const Member& b) {
    const auto key = [&](const Member& member) {
      return std::tuple(series_of(communication.kinds[member.kernel->kind]), member.rank,
                        events.start_ns[member.kernel->event], member.kernel->event);
    };
    return key(a) < key(b);
  });
  return members;
}

}  // namespace

bool MatchedCollectives::comparable() const {
  return std::all_of(ranks.begin(), ranks.end(), [&](const OfRank& rank) { return rank.kernels.size() == count(); });
}

std::vector<MatchedCollectives> match_collectives(const EventTable& events, const Communication& communication) {
  const std::vector<Member> members = members_of(events, communication);
  const auto kind_of = [&](size_t i) -> const CollectiveKind& { return communication.kinds[members[i].kernel->kind]; };
  std::vector<MatchedCollectives> all;
  for (size_t first = 0, behind = 0; first < members.size(); first = behind) {
    MatchedCollectives one{kind_of(first), {}};
    for (; behind < members.size() && series_of(kind_of(behind)) == series_of(kind_of(first)); ++behind) {
      if (one.ranks.empty() || one.ranks.back().rank != members[behind].rank) {
        one.ranks.push_back({members[behind].rank, {}});
      }
      one.ranks.back().kernels.push_back(members[behind].kernel);
    }
    if (one.ranks.size() > 1) {
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace aaco
