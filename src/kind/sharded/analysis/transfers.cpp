// SPDX-License-Identifier: MIT
#include "kind/sharded/analysis/transfers.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <tuple>

#include "analysis/timeline/communication/clock_alignment.h"
#include "analysis/timeline/communication/collective.h"
#include "analysis/timeline/communication/communication.h"
#include "analysis/timeline/communication/matched_collectives.h"
#include "analysis/timeline/communication/rank_comparison.h"
#include "analysis/timeline/time_budget.h"

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

class TransferSums {
 public:
  TransferSums(const EventTable& events, const Communication& communication, int64_t steps, size_t ranks)
      : events_(events),
        communication_(communication),
        steps_(steps),
        ranks_(ranks),
        by_step_(static_cast<size_t>(steps)) {}

  void add(const MatchedCollectives& matched) {
    const std::vector<MatchedCollectives::Place> places = matched.complete_places();
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

  CollectiveTransfers finish(const std::vector<RankComparison>& comparisons) {
    for (auto& [key, sums] : by_kind_) {
      CollectiveOverlap& collective = sums.collective;
      collective.count = std::llround(sums.count / static_cast<double>(steps_));
      set_bandwidths(communication_.kinds[sums.kind], collective);
      found_.collectives.push_back(std::move(collective));
    }
    std::sort(found_.collectives.begin(), found_.collectives.end(),
              [](const auto& a, const auto& b) { return a.transfer_ns > b.transfer_ns; });
    for (const RankComparison& comparison : comparisons) {
      for (const aaco::RankShare& rank : comparison.ranks) {
        found_.ranks[rank.rank].last += static_cast<int64_t>(rank.last);
      }
    }
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
  int64_t steps_;
  size_t ranks_;  // of all
  std::vector<double> by_step_;
  std::map<Key, OfKind> by_kind_;
  CollectiveTransfers found_;
};

}  // namespace

CollectiveTransfers collective_transfers(const EventTable& events, const std::vector<DeviceWork>& devices,
                                         const LaunchIndex& launches, int64_t steps) {
  if (steps < 1) {
    return {};
  }
  const Communication communication = communication_of(events, devices, launches);
  const std::vector<MatchedCollectives> matched = match_collectives(events, communication, RankWindows::kSame);
  const ClockAlignment clocks(events, matched);
  TransferSums sums(events, communication, steps, devices.size());
  for (const MatchedCollectives& one : matched) {
    sums.add(one);
  }
  return sums.finish(compare_ranks(events, communication, matched, clocks));
}

}  // namespace aaco
