// SPDX-License-Identifier: MIT
#include "analysis/timeline/communication/rank_comparison.h"

#include <algorithm>
#include <utility>

#include "analysis/timeline/communication/collective.h"

namespace aaco {

namespace {

int64_t lower_median(std::vector<int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class Comparison {
 public:
  Comparison(const EventTable& events, const Communication& communication, const MatchedCollectives& collectives,
             const ClockAlignment& clocks)
      : events_(events), communication_(communication), places_(collectives.complete_places()) {
    const CollectiveKind& kind = collectives.kind;
    result_.name = kind.name;
    result_.group = kind.group;
    result_.group_ranks = kind.group_ranks;
    result_.group_size = kind.group_size;
    result_.basis = collectives.basis();
    for (const MatchedCollectives::OfRank& rank : collectives.ranks) {
      std::vector<int64_t> durations;
      for (const CollectiveKernel* kernel : rank.recorded) {
        durations.push_back(events.duration_ns[kernel->event]);
      }
      result_.ranks.push_back({rank.rank, rank.recorded.size(), 0, 0, lower_median(std::move(durations))});
      offsets_ns_.push_back(clocks.offset_ns(rank.rank));
    }
  }

  RankComparison run() {
    for (const Place& place : places_) {
      compare(place);
    }
    if (!places_.empty()) {
      finish();
    }
    return result_;
  }

 private:
  using Place = MatchedCollectives::Place;

  // On the reference's clock.
  Span span_of(size_t rank, const Place& place) const {
    const size_t event = place[rank].kernel->event;
    return {saturating_sum(events_.start_ns[event], offsets_ns_[rank]),
            saturating_sum(events_.end_ns(event), offsets_ns_[rank])};
  }
  void compare(const Place& place);
  void finish();

  const EventTable& events_;
  const Communication& communication_;
  std::vector<Place> places_;        // that each rank holds
  std::vector<int64_t> offsets_ns_;  // by rank
  RankComparison result_;
  std::vector<int64_t> skews_;
  std::vector<int64_t> end_spreads_;
  double bytes_ = 0;  // of those with a known size, and of their shortest participants
  double shortest_ns_ = 0;
};

void Comparison::compare(const Place& place) {
  int64_t last_ns = INT64_MIN;
  int64_t first_ns = INT64_MAX;
  Span ends{INT64_MAX, INT64_MIN};
  int64_t shortest_ns = INT64_MAX;
  for (size_t rank = 0; rank < result_.ranks.size(); ++rank) {
    const Span span = span_of(rank, place);
    last_ns = std::max(last_ns, span.start_ns);
    first_ns = std::min(first_ns, span.start_ns);
    ends = {std::min(ends.start_ns, span.end_ns), std::max(ends.end_ns, span.end_ns)};
    shortest_ns = std::min(shortest_ns, events_.duration_ns[place[rank].kernel->event]);
  }
  size_t last = 0;
  int64_t at_last = 0;
  for (size_t rank = 0; rank < result_.ranks.size(); ++rank) {
    const Span span = span_of(rank, place);
    int64_t& waited_ns = result_.ranks[rank].waited_ns;
    waited_ns = saturating_sum(waited_ns, saturating_sum(std::min(last_ns, span.end_ns), -span.start_ns));
    last = span.start_ns == last_ns ? rank : last;
    at_last += span.start_ns == last_ns ? 1 : 0;
  }
  result_.ranks[last].last += at_last == 1 ? 1 : 0;
  skews_.push_back(saturating_sum(last_ns, -first_ns));
  end_spreads_.push_back(saturating_sum(ends.end_ns, -ends.start_ns));
  const CollectiveKind& kind = communication_.kinds[place.front().kernel->kind];
  if (const auto bytes = collective_bytes(collective_type(events_.strings[kind.name]), kind.in_elements,
                                          kind.out_elements, events_.strings[kind.element])) {
    bytes_ += static_cast<double>(*bytes);
    shortest_ns_ += static_cast<double>(shortest_ns);
  }
}

void Comparison::finish() {
  result_.compared = places_.size();
  result_.max_skew_ns = *std::max_element(skews_.begin(), skews_.end());
  result_.median_skew_ns = lower_median(std::move(skews_));
  result_.median_end_spread_ns = lower_median(std::move(end_spreads_));
  const auto most = std::max_element(result_.ranks.begin(), result_.ranks.end(),
                                     [](const RankShare& a, const RankShare& b) { return a.last < b.last; });
  result_.latest = static_cast<size_t>(most - result_.ranks.begin());
  if (shortest_ns_ > 0) {
    result_.algorithm_bandwidth = bytes_ / shortest_ns_;
    if (const auto factor = bus_factor(collective_type(events_.strings[result_.name]), result_.group_size)) {
      result_.bus_bandwidth = *result_.algorithm_bandwidth * *factor;
    }
  }
}

// Where the trace does not hold all ranks of the group another may have come later still; nor does a clock tell that
// cannot be set against the others.
bool can_tell_who_is_late(const RankComparison& rank_comparison, const ClockAlignment& clocks) {
  const bool all_here = rank_comparison.group_size == kNoId ||
                        rank_comparison.group_size == static_cast<int64_t>(rank_comparison.ranks.size());
  return rank_comparison.compared > 0 && all_here &&
         std::all_of(rank_comparison.ranks.begin(), rank_comparison.ranks.end(), [&](const RankShare& rank) {
           const RankClock* const clock = clocks.find(rank.rank);
           return clock != nullptr && clock->comparable();
         });
}

}  // namespace

std::vector<RankComparison> compare_ranks(const EventTable& events, const Communication& communication,
                                          const std::vector<MatchedCollectives>& collectives,
                                          const ClockAlignment& clocks) {
  std::vector<RankComparison> all;
  for (const MatchedCollectives& matched_collectives : collectives) {
    all.push_back(Comparison(events, communication, matched_collectives, clocks).run());
  }
  const auto tells = [&](const RankComparison& rank) { return can_tell_who_is_late(rank, clocks); };
  const auto kinds = static_cast<size_t>(std::count_if(all.begin(), all.end(), tells));
  for (RankComparison& rank : all) {
    if (tells(rank)) {
      rank.late = judge_latest(rank.ranks[rank.latest].last, rank.compared, rank.ranks.size(), kinds);
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const RankComparison& a, const RankComparison& b) { return a.compared > b.compared; });
  return all;
}

}  // namespace aaco
