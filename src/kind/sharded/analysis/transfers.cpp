// SPDX-License-Identifier: MIT
#include "kind/sharded/analysis/transfers.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <tuple>

#include "analysis/timeline/communication/clock_alignment.h"
#include "analysis/timeline/communication/collective.h"
#include "analysis/timeline/communication/communication.h"
#include "analysis/timeline/communication/matched_collectives.h"
#include "analysis/timeline/time_budget.h"
#include "record/intervals.h"

namespace aaco {

namespace {

Communication communication_of(const EventTable& events, const std::vector<DeviceWork>& devices,
                               const LaunchIndex& launches) {
  CommunicationFinder finder(events);
  for (const DeviceWork& work : devices) {
    const RowGroups order = stream_order(events, work);
    finder.add(work, time_budget(events, work.slices).exposed_communication,
               StreamDependencies(events, work, launches, order.all()), order.all());
  }
  return finder.finish();
}

// Which rank came last to a collective. Between ranks of two nodes a lead below the error of their clocks tells
// nothing, nor does any lead where collectives show that the clocks cannot be set against each other.
class LastComer {
 public:
  LastComer(const EventTable& events, const std::vector<MatchedCollectives>& matched,
            const std::vector<RankNode>& nodes)
      : events_(events), clocks_(events, matched), nodes_(nodes) {}

  // Its number; none where several may be it. At `place` are all ranks.
  std::optional<int64_t> find(const MatchedCollectives& matched, const MatchedCollectives::Place& place) const {
    const auto start_of = [&](const MatchedCollectives::Holder& each) {
      return saturating_sum(events_.start_ns[each.kernel->event], clocks_.offset_ns(matched.ranks[each.rank].rank));
    };
    const auto latest = std::max_element(place.begin(), place.end(),
                                         [&](const auto& a, const auto& b) { return start_of(a) < start_of(b); });
    const int64_t rank = matched.ranks[latest->rank].rank;
    const bool surely = std::all_of(place.begin(), place.end(), [&](const MatchedCollectives::Holder& other) {
      return other.rank == latest->rank ||
             is_later(rank, matched.ranks[other.rank].rank, saturating_sum(start_of(*latest), -start_of(other)));
    });
    return surely ? std::optional(rank) : std::nullopt;
  }

 private:
  RankNode node_of(int64_t rank) const {
    const auto index = static_cast<size_t>(rank);
    return rank >= 0 && index < nodes_.size() ? nodes_[index] : RankNode();
  }

  bool is_later(int64_t rank, int64_t other, int64_t lead_ns) const {
    if (node_of(rank).node == node_of(other).node) {
      return lead_ns > 0;
    }
    return is_comparable(rank) && is_comparable(other) && lead_ns > saturating_sum(error_ns(rank), error_ns(other));
  }

  bool is_comparable(int64_t rank) const {
    const RankClock* const clock = clocks_.find(rank);
    return clock != nullptr && clock->comparable();
  }

  // Times that collectives moved are as wrong as these say, and the others as their node's clock.
  int64_t error_ns(int64_t rank) const {
    const RankClock* const clock = clocks_.find(rank);
    return clock != nullptr && clock->state == ClockState::kShifted ? clock->error_ns : node_of(rank).clock_error_ns;
  }

  const EventTable& events_;
  ClockAlignment clocks_;
  const std::vector<RankNode>& nodes_;
};

class TransferSums {
 public:
  TransferSums(const EventTable& events, const Communication& communication, const LastComer& last, int64_t steps,
               size_t ranks)
      : events_(events),
        communication_(communication),
        last_(last),
        steps_(steps),
        ranks_(ranks),
        by_step_(static_cast<size_t>(steps)) {}

  void add(const MatchedCollectives& matched) {
    const std::vector<MatchedCollectives::Place> places = matched.complete_places();
    for (const MatchedCollectives::Place& place : places) {
      if (const auto rank = last_.find(matched, place)) {
        ++found_.ranks[*rank].last;
      }
    }
    const size_t count = places.size();
    const bool all_do = std::all_of(matched.ranks.begin(), matched.ranks.end(),
                                    [&](const auto& rank) { return rank.recorded.size() == count; });
    if (!all_do || count % by_step_.size() != 0) {
      found_.unavailable.push_back(fmt::format("transfer of {}: the ranks did not do the same number of them",
                                               events_.strings[matched.kind.name]));
      return;
    }
    const size_t of_step = count / by_step_.size();
    for (size_t i = 0; i < count; ++i) {
      add_one(matched, places[i], i / of_step);
    }
  }

  CollectiveTransfers finish() {
    for (auto& [key, sums] : by_kind_) {
      CollectiveOverlap& collective = sums.collective;
      collective.count = std::llround(sums.count / static_cast<double>(steps_));
      set_bandwidths(communication_.kinds[sums.kind], collective);
      found_.collectives.push_back(std::move(collective));
    }
    std::sort(found_.collectives.begin(), found_.collectives.end(),
              [](const auto& a, const auto& b) { return a.transfer_ns > b.transfer_ns; });
    found_.by_step_ns = std::move(by_step_);
    return std::move(found_);
  }

 private:
  double of_step(int64_t ns) const { return static_cast<double>(ns) / static_cast<double>(steps_); }
  int64_t duration_ns(const CollectiveKernel& kernel) const { return events_.duration_ns[kernel.event]; }

  // At `place` are all ranks.
  void add_one(const MatchedCollectives& matched, const MatchedCollectives::Place& place, size_t step) {
    int64_t shortest_ns = INT64_MAX;
    for (const MatchedCollectives::Holder& each : place) {
      shortest_ns = std::min(shortest_ns, duration_ns(*each.kernel));
    }
    OfKind& sums = sums_of(place.front().kernel->kind);
    CollectiveOverlap& collective = sums.collective;
    const auto ranks = static_cast<double>(ranks_);
    const double share = static_cast<double>(place.size()) / ranks;
    sums.count += share;
    collective.transfer_ns += share * of_step(shortest_ns);
    by_step_[step] += share * static_cast<double>(shortest_ns);
    for (const MatchedCollectives::Holder& each : place) {
      const double waited_ns = of_step(duration_ns(*each.kernel) - shortest_ns);
      collective.waiting_ns += waited_ns / ranks;
      collective.exposed_ns += of_step(each.kernel->exposed_ns) / ranks;
      found_.ranks[matched.ranks[each.rank].rank].waited_ns += waited_ns;
    }
  }

  // Communicators of one name that join other ranks do theirs at the same time, and count as one.
  using Key = std::tuple<uint32_t, uint32_t, int64_t, int64_t, uint32_t>;
  struct OfKind {
    uint32_t kind = 0;  // of the first of them
    double count = 0;   // of all steps, mean over ranks
    CollectiveOverlap collective;
  };

  OfKind& sums_of(uint32_t kind) {
    const CollectiveKind& its = communication_.kinds[kind];
    const auto [found, made] =
        by_kind_.try_emplace(Key(its.name, its.group, its.in_elements, its.out_elements, its.element));
    OfKind& sums = found->second;
    if (made) {
      sums.kind = kind;
      sums.collective.name = events_.strings[its.name];
      sums.collective.group = events_.strings[its.group];
      sums.collective.bytes = collective_bytes(collective_type(sums.collective.name), its.in_elements, its.out_elements,
                                               events_.strings[its.element]);
    }
    return sums;
  }

  static void set_bandwidths(const CollectiveKind& kind, CollectiveOverlap& collective) {
    if (!collective.bytes || collective.transfer_ns <= 0) {
      return;
    }
    const double bandwidth =
        static_cast<double>(*collective.bytes) * static_cast<double>(collective.count) / collective.transfer_ns;
    collective.algorithm_bandwidth = bandwidth;
    if (const auto factor = bus_factor(collective_type(collective.name), kind.group_size)) {
      collective.bus_bandwidth = bandwidth * *factor;
    }
  }

  const EventTable& events_;
  const Communication& communication_;
  const LastComer& last_;
  int64_t steps_;
  size_t ranks_;  // of all
  std::vector<double> by_step_;
  std::map<Key, OfKind> by_kind_;
  CollectiveTransfers found_;
};

}  // namespace

CollectiveTransfers collective_transfers(const EventTable& events, const std::vector<DeviceWork>& devices,
                                         const LaunchIndex& launches, int64_t steps,
                                         const std::vector<RankNode>& nodes) {
  if (steps < 1) {
    return {};
  }
  const Communication communication = communication_of(events, devices, launches);
  const std::vector<MatchedCollectives> matched = match_collectives(events, communication, RankWindows::kSame);
  const LastComer last(events, matched, nodes);
  TransferSums sums(events, communication, last, steps, devices.size());
  for (const MatchedCollectives& one : matched) {
    sums.add(one);
  }
  return sums.finish();
}

}  // namespace aaco
