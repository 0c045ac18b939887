// SPDX-License-Identifier: MIT
#include "analysis/timeline/communication/clock_alignment.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace aaco {

namespace {

// What is known of one clock against another: the offset lies in [least, most], both included.
struct Bounds {
  int64_t least_ns = INT64_MIN;
  int64_t most_ns = INT64_MAX;
  std::vector<int64_t> ends_apart_ns;  // one estimate a collective: as if all ranks ended at the same time

  void add(const Span& known, const Span& other) {
    least_ns = std::max(least_ns, known.start_ns - other.end_ns);
    most_ns = std::min(most_ns, known.end_ns - other.start_ns);
    ends_apart_ns.push_back(known.end_ns - other.end_ns);
  }
};

Span span_of(const EventTable& events, const CollectiveKernel& kernel) {
  const auto event = static_cast<size_t>(kernel.event);
  return {events.start_ns[event], events.end_ns(event)};
}

// `bounds` against the clock `known`.
RankClock conclude(int64_t rank, const RankClock& known, Bounds bounds) {
  RankClock clock{rank, ClockState::kInconsistent, 0, 0, bounds.ends_apart_ns.size()};
  if (bounds.least_ns > bounds.most_ns) {
    return clock;
  }
  const int64_t least_ns = saturating_sum(bounds.least_ns, known.offset_ns);
  const int64_t most_ns = saturating_sum(bounds.most_ns, known.offset_ns);
  clock.state = ClockState::kAgrees;
  if (least_ns > 0 || most_ns < 0) {
    const auto middle = bounds.ends_apart_ns.begin() + static_cast<std::ptrdiff_t>(bounds.ends_apart_ns.size() / 2);
    std::nth_element(bounds.ends_apart_ns.begin(), middle, bounds.ends_apart_ns.end());
    clock.state = ClockState::kShifted;
    clock.offset_ns = std::clamp(saturating_sum(*middle, known.offset_ns), least_ns, most_ns);
  }
  const int64_t farthest_ns =
      std::max(saturating_sum(clock.offset_ns, -least_ns), saturating_sum(most_ns, -clock.offset_ns));
  clock.error_ns = saturating_sum(farthest_ns, known.error_ns);
  return clock;
}

bool is_placed(const RankClock& clock) { return clock.state == ClockState::kReference || clock.bounded(); }

}  // namespace

namespace {

using Place = MatchedCollectives::Place;

// From the reference outwards: each round bounds the ranks that share a collective with one that the round before has
// placed. Others tell nothing new, so that each place is looked at once.
class ClockSearch {
 public:
  ClockSearch(const EventTable& events, const std::vector<MatchedCollectives>& collectives);
  std::vector<RankClock> run();

 private:
  // Collectives that bound clocks.
  struct Usable {
    const MatchedCollectives* matched = nullptr;
    std::vector<Place> places;
    std::vector<std::vector<size_t>> places_of;  // by rank
    std::vector<bool> is_seen;                   // by place
  };
  struct RankBounds {
    const RankClock* by = nullptr;
    Bounds bounds;
  };

  void add(const MatchedCollectives& matched);
  void look_from(int64_t rank);
  void bound(const Usable& usable, const std::vector<size_t>& places);
  RankClock& clock_of(const Usable& usable, size_t rank) { return clocks_.at(usable.matched->ranks[rank].rank); }
  size_t best_known(const Usable& usable, const Place& place);

  const EventTable& events_;
  std::map<int64_t, RankClock> clocks_;
  std::set<int64_t> unplaced_;  // ranks with such collectives of which it is not known which they are
  std::vector<Usable> usable_;
  std::map<int64_t, std::vector<std::pair<size_t, size_t>>> usable_of_;  // by rank: those, and its index there
  std::map<size_t, std::vector<size_t>> next_;                           // places to look at, by those
  std::map<int64_t, RankBounds> reached_;                                // by rank, in this round
};

ClockSearch::ClockSearch(const EventTable& events, const std::vector<MatchedCollectives>& collectives)
    : events_(events) {
  for (const MatchedCollectives& matched : collectives) {
    add(matched);
  }
}

void ClockSearch::add(const MatchedCollectives& matched) {
  const bool bounds = needs_all_ranks(events_, matched.kind);
  for (size_t i = 0; i < matched.ranks.size(); ++i) {
    const MatchedCollectives::OfRank& rank = matched.ranks[i];
    clocks_.try_emplace(rank.rank, RankClock{rank.rank});
    if (bounds) {
      usable_of_[rank.rank].emplace_back(usable_.size(), i);
    }
    if (bounds && !rank.is_placed()) {
      unplaced_.insert(rank.rank);
    }
  }
  if (!bounds) {
    return;
  }
  Usable& usable = usable_.emplace_back();
  usable.matched = &matched;
  usable.places = matched.shared_places();
  usable.places_of.resize(matched.ranks.size());
  usable.is_seen.resize(usable.places.size());
  for (size_t place = 0; place < usable.places.size(); ++place) {
    for (const MatchedCollectives::Holder& each : usable.places[place]) {
      usable.places_of[each.rank].push_back(place);
    }
  }
}

std::vector<RankClock> ClockSearch::run() {
  if (!clocks_.empty()) {
    clocks_.begin()->second.state = ClockState::kReference;
    look_from(clocks_.begin()->first);
  }
  while (!next_.empty()) {
    for (const auto& [usable, places] : std::exchange(next_, {})) {
      bound(usable_[usable], places);
    }
    for (auto& [rank, reached] : reached_) {
      clocks_.at(rank) = conclude(rank, *reached.by, std::move(reached.bounds));
    }
    for (const auto& [rank, reached] : std::exchange(reached_, {})) {
      look_from(rank);
    }
  }
  std::vector<RankClock> clocks;
  for (auto& [rank, clock] : clocks_) {
    if (clock.state == ClockState::kUnknown && unplaced_.contains(rank)) {
      clock.state = ClockState::kUndetermined;
    }
    clocks.push_back(clock);
  }
  return clocks;
}

void ClockSearch::look_from(int64_t rank) {
  if (!is_placed(clocks_.at(rank))) {
    return;
  }
  for (const auto& [number, index] : usable_of_[rank]) {
    Usable& usable = usable_[number];
    for (const size_t place : usable.places_of[index]) {
      if (!usable.is_seen[place]) {
        usable.is_seen[place] = true;
        next_[number].push_back(place);
      }
    }
  }
}

// Of the ranks at `place` that are placed in time, that with the smallest error.
size_t ClockSearch::best_known(const Usable& usable, const Place& place) {
  const MatchedCollectives::Holder* best = nullptr;
  for (const MatchedCollectives::Holder& each : place) {
    const RankClock& clock = clock_of(usable, each.rank);
    if (is_placed(clock) && (best == nullptr || clock.error_ns < clock_of(usable, best->rank).error_ns)) {
      best = &each;
    }
  }
  return best->rank;
}

// Each rank that is not placed yet by the best known one of all that it meets.
void ClockSearch::bound(const Usable& usable, const std::vector<size_t>& places) {
  std::map<size_t, size_t> known_of;
  const auto key = [&](size_t rank) { return std::pair(clock_of(usable, rank).error_ns, rank); };
  for (const size_t place : places) {
    const size_t known = best_known(usable, usable.places[place]);
    for (const MatchedCollectives::Holder& each : usable.places[place]) {
      if (clock_of(usable, each.rank).state == ClockState::kUnknown) {
        size_t& best = known_of.try_emplace(each.rank, known).first->second;
        best = std::min(best, known, [&](size_t a, size_t b) { return key(a) < key(b); });
      }
    }
  }
  for (const size_t number : places) {
    const Place& place = usable.places[number];
    for (const MatchedCollectives::Holder& each : place) {
      const auto known = known_of.find(each.rank);
      if (known == known_of.end()) {
        continue;
      }
      const RankClock& clock = clock_of(usable, known->second);
      auto& [by, bounds] = reached_.try_emplace(usable.matched->ranks[each.rank].rank, &clock).first->second;
      const auto other = std::lower_bound(place.begin(), place.end(), known->second,
                                          [](const auto& a, size_t rank) { return a.rank < rank; });
      if (by == &clock && other != place.end() && other->rank == known->second) {
        bounds.add(span_of(events_, *other->kernel), span_of(events_, *each.kernel));
      }
    }
  }
}

}  // namespace

ClockAlignment::ClockAlignment(const EventTable& events, const std::vector<MatchedCollectives>& collectives)
    : clocks_(ClockSearch(events, collectives).run()) {}

const RankClock* ClockAlignment::find(int64_t rank) const {
  const auto clock =
      std::lower_bound(clocks_.begin(), clocks_.end(), rank, [](const RankClock& a, int64_t b) { return a.rank < b; });
  return clock != clocks_.end() && clock->rank == rank ? &*clock : nullptr;
}

int64_t ClockAlignment::offset_ns(int64_t rank) const {
  const RankClock* const clock = find(rank);
  return clock == nullptr ? 0 : clock->offset_ns;
}

}  // namespace aaco
