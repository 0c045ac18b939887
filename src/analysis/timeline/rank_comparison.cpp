// SPDX-License-Identifier: MIT
#include "analysis/timeline/rank_comparison.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "analysis/timeline/collective.h"

namespace aaco {

namespace {

// What is compared: the kinds of one of these may differ in size from one collective to the next.
using Series = std::tuple<StringId, StringId, StringId, int64_t>;  // name, group, its ranks, its size

struct Member {
  const CollectiveKernel* kernel;
  int64_t rank;
};

Series series_of(const CollectiveKind& kind) { return {kind.name, kind.group, kind.group_ranks, kind.group_size}; }

int64_t lower_median(std::vector<int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<Member> members_of(const EventTable& events, const Communication& communication) {
  std::vector<Member> members;
  for (const CollectiveKernel& kernel : communication.kernels) {
    const CollectiveKind& kind = communication.kinds[kernel.kind];
    const int64_t rank = events.tracks[events.track[kernel.event]].rank;
    if (rank != kNoId && kind.group_size != kNoId) {
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

// One series, its members by rank and start.
class Comparison {
 public:
  Comparison(const EventTable& events, const Communication& communication, std::span<const Member> members)
      : events_(events), communication_(communication), members_(members) {
    const CollectiveKind& kind = communication.kinds[members.front().kernel->kind];
    result_.name = kind.name;
    result_.group = kind.group;
    result_.group_ranks = kind.group_ranks;
    result_.group_size = kind.group_size;
    for (size_t first = 0, behind = 0; first < members.size(); first = behind) {
      std::vector<int64_t> durations;
      for (; behind < members.size() && members[behind].rank == members[first].rank; ++behind) {
        durations.push_back(events.duration_ns[members[behind].kernel->event]);
      }
      result_.ranks.push_back({members[first].rank, behind - first, 0, 0, lower_median(std::move(durations))});
    }
  }

  RankComparison run() {
    const uint64_t count = result_.ranks.front().kernels;
    if (std::all_of(result_.ranks.begin(), result_.ranks.end(),
                    [&](const RankShare& rank) { return rank.kernels == count; })) {
      for (size_t place = 0; place < count; ++place) {
        compare(place, count);
      }
      finish(count);
    }
    return result_;
  }

 private:
  void compare(size_t place, size_t count);
  void finish(uint64_t count);

  const EventTable& events_;
  const Communication& communication_;
  std::span<const Member> members_;
  RankComparison result_;
  std::vector<int64_t> skews_;
  std::vector<int64_t> end_spreads_;
  double bytes_ = 0;  // of those with a known size, and of their shortest participants
  double shortest_ns_ = 0;
};

void Comparison::compare(size_t place, size_t count) {
  const auto event_of = [&](size_t rank) { return members_[rank * count + place].kernel->event; };
  size_t last = 0;
  int64_t first_ns = INT64_MAX;
  Span ends{INT64_MAX, INT64_MIN};
  int64_t shortest_ns = INT64_MAX;
  for (size_t rank = 0; rank < result_.ranks.size(); ++rank) {
    const size_t event = event_of(rank);
    last = events_.start_ns[event] > events_.start_ns[event_of(last)] ? rank : last;
    first_ns = std::min(first_ns, events_.start_ns[event]);
    ends = {std::min(ends.start_ns, events_.end_ns(event)), std::max(ends.end_ns, events_.end_ns(event))};
    shortest_ns = std::min(shortest_ns, events_.duration_ns[event]);
  }
  const int64_t last_ns = events_.start_ns[event_of(last)];
  ++result_.ranks[last].last;
  for (size_t rank = 0; rank < result_.ranks.size(); ++rank) {
    int64_t& waited_ns = result_.ranks[rank].waited_ns;
    const size_t event = event_of(rank);
    waited_ns = saturating_sum(waited_ns, std::min(last_ns, events_.end_ns(event)) - events_.start_ns[event]);
  }
  skews_.push_back(last_ns - first_ns);
  end_spreads_.push_back(ends.end_ns - ends.start_ns);
  const CollectiveKind& kind = communication_.kinds[members_[place].kernel->kind];
  if (const auto bytes = collective_bytes(collective_type(events_.strings[kind.name]), kind.in_elements,
                                          kind.out_elements, events_.strings[kind.element])) {
    bytes_ += static_cast<double>(*bytes);
    shortest_ns_ += static_cast<double>(shortest_ns);
  }
}

void Comparison::finish(uint64_t count) {
  result_.compared = count;
  result_.max_skew_ns = *std::max_element(skews_.begin(), skews_.end());
  result_.median_skew_ns = lower_median(std::move(skews_));
  result_.median_end_spread_ns = lower_median(std::move(end_spreads_));
  const auto most = std::max_element(result_.ranks.begin(), result_.ranks.end(),
                                     [](const RankShare& a, const RankShare& b) { return a.last < b.last; });
  result_.straggler = static_cast<size_t>(most - result_.ranks.begin());
  if (shortest_ns_ > 0) {
    result_.algorithm_bandwidth = bytes_ / shortest_ns_;
    if (const auto factor = bus_factor(collective_type(events_.strings[result_.name]), result_.group_size)) {
      result_.bus_bandwidth = *result_.algorithm_bandwidth * *factor;
    }
  }
}

}  // namespace

std::vector<RankComparison> compare_ranks(const EventTable& events, const Communication& communication) {
  const std::vector<Member> members = members_of(events, communication);
  const auto series = [&](size_t i) { return series_of(communication.kinds[members[i].kernel->kind]); };
  std::vector<RankComparison> all;
  for (size_t first = 0, behind = 0; first < members.size(); first = behind) {
    while (behind < members.size() && series(behind) == series(first)) {
      ++behind;
    }
    if (members[first].rank != members[behind - 1].rank) {
      all.push_back(Comparison(events, communication, std::span(members).subspan(first, behind - first)).run());
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const RankComparison& a, const RankComparison& b) { return a.compared > b.compared; });
  return all;
}

}  // namespace aaco
