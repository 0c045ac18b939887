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

const char* clock_state_name(ClockState state) {
  static constexpr std::array kNames = {"reference", "agrees", "shifted", "inconsistent", "undetermined", "unknown"};
  return kNames[static_cast<size_t>(state)];
}

namespace {

using OfRank = MatchedCollectives::OfRank;

bool share_a_place(const OfRank& a, const OfRank& b) {
  for (size_t place = 0; place < a.places.size(); ++place) {
    if (a.places[place] != nullptr && b.places[place] != nullptr) {
      return true;
    }
  }
  return false;
}

// Of the ranks that are placed in time and share a collective with `rank`, the one with the smallest error.
const OfRank* best_known(const std::vector<OfRank>& ranks, const OfRank& rank,
                         const std::map<int64_t, RankClock>& clocks) {
  const OfRank* best = nullptr;
  for (const OfRank& known : ranks) {
    const RankClock& clock = clocks.at(known.rank);
    if (known.is_placed() && is_placed(clock) && (best == nullptr || clock.error_ns < clocks.at(best->rank).error_ns) &&
        share_a_place(known, rank)) {
      best = &known;
    }
  }
  return best;
}

}  // namespace

// From the reference outwards: each round bounds the ranks that share a collective with one placed before.
ClockAlignment::ClockAlignment(const EventTable& events, const std::vector<MatchedCollectives>& collectives) {
  std::map<int64_t, RankClock> clocks;
  std::set<int64_t> unplaced;  // ranks with such collectives of which it is not known which they are
  std::vector<const MatchedCollectives*> usable;
  for (const MatchedCollectives& one : collectives) {
    const bool bounds = needs_all_ranks(events, one.kind);
    for (const OfRank& rank : one.ranks) {
      clocks.try_emplace(rank.rank, RankClock{rank.rank});
      if (bounds && !rank.is_placed()) {
        unplaced.insert(rank.rank);
      }
    }
    if (bounds) {
      usable.push_back(&one);
    }
  }
  if (!clocks.empty()) {
    clocks.begin()->second.state = ClockState::kReference;
  }
  for (bool found = true; found;) {
    std::map<int64_t, std::pair<const RankClock*, Bounds>> reached;
    for (const MatchedCollectives* one : usable) {
      for (const OfRank& rank : one->ranks) {
        if (!rank.is_placed() || clocks.at(rank.rank).state != ClockState::kUnknown) {
          continue;
        }
        const OfRank* const known = best_known(one->ranks, rank, clocks);
        if (known == nullptr) {
          continue;
        }
        auto& [by, bounds] = reached.try_emplace(rank.rank, &clocks.at(known->rank), Bounds{}).first->second;
        for (size_t i = 0; by->rank == known->rank && i < rank.places.size(); ++i) {
          if (known->places[i] != nullptr && rank.places[i] != nullptr) {
            bounds.add(span_of(events, *known->places[i]), span_of(events, *rank.places[i]));
          }
        }
      }
    }
    for (auto& [rank, by] : reached) {
      clocks.at(rank) = conclude(rank, *by.first, std::move(by.second));
    }
    found = !reached.empty();
  }
  for (auto& [rank, clock] : clocks) {
    if (clock.state == ClockState::kUnknown && unplaced.contains(rank)) {
      clock.state = ClockState::kUndetermined;
    }
    clocks_.push_back(clock);
  }
}

const RankClock* ClockAlignment::find(int64_t rank) const {
  const auto found =
      std::lower_bound(clocks_.begin(), clocks_.end(), rank, [](const RankClock& a, int64_t b) { return a.rank < b; });
  return found != clocks_.end() && found->rank == rank ? &*found : nullptr;
}

int64_t ClockAlignment::offset_ns(int64_t rank) const {
  const RankClock* const clock = find(rank);
  return clock == nullptr ? 0 : clock->offset_ns;
}

}  // namespace aaco
