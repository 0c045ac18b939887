// SPDX-License-Identifier: MIT
#include "analysis/timeline/communication/matched_collectives.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/timeline/communication/collective.h"

namespace aaco {

namespace {

using Kernels = std::vector<const CollectiveKernel*>;

auto group_of(const CollectiveKind& kind) {
  return std::tuple(kind.group, kind.group_ranks, kind.group_size, kind.communicator);
}

// What is the same on every rank of a collective: ranks may put in other sizes of an all-to-all, a gather or a message.
auto shared_by_ranks(const EventTable& events, const CollectiveKind& kind) {
  const CollectiveType type = collective_type(events.strings[kind.name]);
  const bool has_size = type != CollectiveType::kAllToAll && type != CollectiveType::kOther;
  const int64_t elements = type == CollectiveType::kAllGather ? kind.out_elements : kind.in_elements;
  return std::tuple(kind.name, has_size ? elements : kNoId, kind.element);
}

// A rank's part in the collectives of one process group.
struct RankOrder {
  int64_t rank = kNoId;
  Kernels kernels;             // by start
  std::vector<uint32_t> what;  // of each, equal where it may be the same collective
  MatchBasis basis = MatchBasis::kNone;
  std::vector<std::optional<int64_t>> places;  // of each kernel, among those of all ranks; none: not known
};

// The ranks of one process group.
class GroupMatch {
 public:
  GroupMatch(const EventTable& events, const Communication& communication) : events_(events), all_(communication) {}

  void add(int64_t rank, const CollectiveKernel* kernel) {
    if (ranks_.empty() || ranks_.back().rank != rank) {
      ranks_.push_back({rank, {}, {}, MatchBasis::kNone, {}});
    }
    const auto shared = shared_by_ranks(events_, all_.kinds[kernel->kind]);
    ranks_.back().kernels.push_back(kernel);
    ranks_.back().what.push_back(whats_.try_emplace(shared, static_cast<uint32_t>(whats_.size())).first->second);
  }

  void match(RankWindows windows, std::vector<MatchedCollectives>& into) {
    if (ranks_.size() < 2) {
      return;
    }
    for (RankOrder& rank : ranks_) {
      rank.places.resize(rank.kernels.size());
      compared_left_ += kComparedOfOne * rank.kernels.size();
    }
    if (windows == RankWindows::kSame) {
      number_by_name();
    } else if (std::all_of(ranks_.begin(), ranks_.end(), [](const RankOrder& rank) { return is_numbered(rank); })) {
      number_by_sequence();
    } else {
      number_by_order();
    }
    for (auto& [name, collectives] : split_by_name()) {
      if (collectives.ranks.size() > 1) {
        into.push_back(std::move(collectives));
      }
    }
  }

 private:
  const CollectiveKind& kind_of(const CollectiveKernel& kernel) const { return all_.kinds[kernel.kind]; }

  // Coalesced collectives share a number; where most do, it numbers something else.
  static bool is_numbered(const RankOrder& rank) {
    std::vector<int64_t> numbers;
    for (const CollectiveKernel* kernel : rank.kernels) {
      if (kernel->sequence != kNoId) {
        numbers.push_back(kernel->sequence);
      }
    }
    const auto given = static_cast<std::ptrdiff_t>(numbers.size());
    std::sort(numbers.begin(), numbers.end());
    const auto distinct = std::unique(numbers.begin(), numbers.end()) - numbers.begin();
    return given > 0 && 2 * distinct > given;
  }

  void number_by_name();
  void number_by_sequence();
  void number_by_order();
  bool place(const RankOrder& known, RankOrder& rank);
  std::map<StringId, MatchedCollectives> split_by_name() const;

  const EventTable& events_;
  const Communication& all_;
  std::vector<RankOrder> ranks_;
  std::map<std::tuple<StringId, int64_t, StringId>, uint32_t> whats_;
  // Of all ranks together: each is set against the whole of another, which may have recorded most of the group's.
  static constexpr size_t kComparedOfOne = 64;
  size_t compared_left_ = 1'000;
};

// The n-th of a name on each rank is the same, where all have as many.
void GroupMatch::number_by_name() {
  std::map<StringId, std::set<int64_t>> counts;  // of each name, the ranks'
  for (RankOrder& rank : ranks_) {
    std::map<StringId, int64_t> next;
    for (size_t i = 0; i < rank.kernels.size(); ++i) {
      rank.places[i] = next[kind_of(*rank.kernels[i]).name]++;
    }
    for (const auto& [name, count] : next) {
      counts[name].insert(count);
    }
    rank.basis = MatchBasis::kOrder;
  }
  for (RankOrder& rank : ranks_) {
    for (size_t i = 0; i < rank.kernels.size(); ++i) {
      if (counts.at(kind_of(*rank.kernels[i]).name).size() > 1) {
        rank.places[i].reset();
      }
    }
  }
}

// A place for each number and name; the collectives of one number in their order. What the ranks do not agree on, in
// size or in how many share a number, gets none.
void GroupMatch::number_by_sequence() {
  struct Member {
    std::tuple<int64_t, StringId, int64_t> key;  // number, name, which of those
    size_t rank = 0;
    size_t kernel = 0;
  };
  std::vector<Member> members;
  for (size_t at = 0; at < ranks_.size(); ++at) {
    std::map<std::pair<int64_t, StringId>, int64_t> seen;
    for (size_t i = 0; i < ranks_[at].kernels.size(); ++i) {
      const CollectiveKernel& kernel = *ranks_[at].kernels[i];
      if (kernel.sequence != kNoId) {
        const StringId name = kind_of(kernel).name;
        members.push_back({{kernel.sequence, name, seen[{kernel.sequence, name}]++}, at, i});
      }
    }
    ranks_[at].basis = MatchBasis::kSequence;
  }
  std::stable_sort(members.begin(), members.end(), [](const Member& a, const Member& b) { return a.key < b.key; });
  int64_t next = 0;
  size_t agreed = 0;
  size_t shared = 0;
  for (size_t first = 0, behind = 0; first < members.size(); first = behind) {
    const auto what_of = [&](size_t member) { return ranks_[members[member].rank].what[members[member].kernel]; };
    bool is_same = true;
    while (behind < members.size() && members[behind].key == members[first].key) {
      is_same = is_same && what_of(behind) == what_of(first);
      ++behind;
    }
    shared += behind - first > 1 ? 1 : 0;
    agreed += behind - first > 1 && is_same ? 1 : 0;
    for (size_t i = first; i < behind && is_same; ++i) {
      ranks_[members[i].rank].places[members[i].kernel] = next;
    }
    next += is_same ? 1 : 0;
  }
  if (2 * agreed < shared) {
    for (RankOrder& rank : ranks_) {
      rank.basis = MatchBasis::kNone;
    }
  }
}

// `known` holds places already.
bool GroupMatch::place(const RankOrder& known, RankOrder& rank) {
  const size_t compared = known.kernels.size() + rank.kernels.size();
  if (compared > compared_left_) {
    rank.basis = MatchBasis::kUndetermined;
    return false;
  }
  compared_left_ -= compared;
  const auto ordered = [&](const RankOrder& order) {
    std::vector<OrderedCollective> all;
    for (size_t i = 0; i < order.kernels.size(); ++i) {
      const CollectiveKernel& kernel = *order.kernels[i];
      all.push_back({order.what[i],
                     needs_all_ranks(events_, kind_of(kernel)),
                     {events_.start_ns[kernel.event], events_.end_ns(kernel.event)},
                     kernel.step});
    }
    return all;
  };
  const OrderShift order_shift = find_order_shift(ordered(known), ordered(rank));
  rank.basis = order_shift.basis;
  for (size_t i = 0; i < rank.places.size() && order_shift.basis == MatchBasis::kOrder; ++i) {
    rank.places[i] = *known.places.front() + order_shift.shift + static_cast<int64_t>(i);
  }
  return order_shift.basis == MatchBasis::kOrder;
}

// Against the lowest rank, or the one that was placed last: recordings may follow one another.
void GroupMatch::number_by_order() {
  RankOrder& first = ranks_.front();
  first.basis = MatchBasis::kOrder;
  for (size_t i = 0; i < first.places.size(); ++i) {
    first.places[i] = static_cast<int64_t>(i);
  }
  size_t last = 0;
  for (size_t at = 1; at < ranks_.size(); ++at) {
    if (place(first, ranks_[at]) || (last > 0 && place(ranks_[last], ranks_[at]))) {
      last = at;
    }
  }
  if (last == 0) {  // nobody: nor is the first one's place known among others
    first.basis = ranks_[1].basis;
  }
}

std::map<StringId, MatchedCollectives> GroupMatch::split_by_name() const {
  std::map<StringId, MatchedCollectives> all;
  for (const RankOrder& rank : ranks_) {
    for (size_t i = 0; i < rank.kernels.size(); ++i) {
      const CollectiveKind& kind = kind_of(*rank.kernels[i]);
      MatchedCollectives& collectives = all.try_emplace(kind.name, MatchedCollectives{kind, {}, {}}).first->second;
      if (collectives.ranks.empty() || collectives.ranks.back().rank != rank.rank) {
        collectives.ranks.push_back({rank.rank, rank.basis, {}});
      }
      MatchedCollectives::OfRank& of_rank = collectives.ranks.back();
      of_rank.recorded.push_back(rank.kernels[i]);
      if (of_rank.is_placed() && rank.places[i]) {
        collectives.holders.push_back({*rank.places[i], collectives.ranks.size() - 1, rank.kernels[i]});
      }
    }
  }
  for (auto& [name, collectives] : all) {
    using Holder = MatchedCollectives::Holder;
    std::sort(collectives.holders.begin(), collectives.holders.end(),
              [](const Holder& a, const Holder& b) { return std::pair(a.place, a.rank) < std::pair(b.place, b.rank); });
  }
  return all;
}

int64_t rank_of(const EventTable& events, const CollectiveKernel& kernel) {
  return events.tracks[events.track[kernel.event]].rank;
}

// Kernels that may match others, by group, rank and start.
Kernels members_of(const EventTable& events, const Communication& communication) {
  Kernels members;
  members.reserve(communication.kernels.size());
  for (const CollectiveKernel& kernel : communication.kernels) {
    if (rank_of(events, kernel) != kNoId && communication.kinds[kernel.kind].group_size != kNoId) {
      members.push_back(&kernel);
    }
  }
  std::sort(members.begin(), members.end(), [&](const CollectiveKernel* a, const CollectiveKernel* b) {
    const auto key = [&](const CollectiveKernel& kernel) {
      return std::tuple(group_of(communication.kinds[kernel.kind]), rank_of(events, kernel),
                        events.start_ns[kernel.event], kernel.event);
    };
    return key(*a) < key(*b);
  });
  return members;
}

}  // namespace

MatchBasis MatchedCollectives::basis() const {
  const auto least =
      std::max_element(ranks.begin(), ranks.end(), [](const OfRank& a, const OfRank& b) { return a.basis < b.basis; });
  return least->basis;
}

std::vector<MatchedCollectives::Place> MatchedCollectives::shared_places() const {
  std::vector<Place> shared;
  for (size_t first = 0, behind = 0; first < holders.size(); first = behind) {
    while (behind < holders.size() && holders[behind].place == holders[first].place) {
      ++behind;
    }
    if (behind - first > 1) {
      shared.push_back(Place(holders).subspan(first, behind - first));
    }
  }
  return shared;
}

std::vector<MatchedCollectives::Place> MatchedCollectives::complete_places() const {
  std::vector<Place> complete = shared_places();
  std::erase_if(complete, [&](const Place& place) { return place.size() < ranks.size(); });
  return complete;
}

std::vector<MatchedCollectives> match_collectives(const EventTable& events, const Communication& communication,
                                                  RankWindows windows) {
  const Kernels members = members_of(events, communication);
  const auto group_at = [&](size_t i) { return group_of(communication.kinds[members[i]->kind]); };
  std::vector<MatchedCollectives> all;
  for (size_t first = 0, behind = 0; first < members.size(); first = behind) {
    GroupMatch group(events, communication);
    for (; behind < members.size() && group_at(behind) == group_at(first); ++behind) {
      group.add(rank_of(events, *members[behind]), members[behind]);
    }
    group.match(windows, all);
  }
  std::stable_sort(all.begin(), all.end(), [](const MatchedCollectives& a, const MatchedCollectives& b) {
    return std::tuple(a.kind.name, group_of(a.kind)) < std::tuple(b.kind.name, group_of(b.kind));
  });
  return all;
}

bool needs_all_ranks(const EventTable& events, const CollectiveKind& kind) {
  const CollectiveType type = collective_type(events.strings[kind.name]);
  return type == CollectiveType::kAllReduce || type == CollectiveType::kAllGather ||
         type == CollectiveType::kReduceScatter || type == CollectiveType::kAllToAll;
}

}  // namespace aaco
