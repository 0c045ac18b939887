// SPDX-License-Identifier: MIT
#include "analysis/overlap/overlap_figures.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/overlap/contention.h"
#include "analysis/overlap/step_slices.h"
#include "analysis/overlap/transfers.h"
#include "analysis/timeline/idle_causes.h"
#include "analysis/timeline/time_budget.h"
#include "base/json.h"
#include "base/statistics.h"

namespace aaco {

AACO_JSON_FIELDS(StepShares, window_ns, computation_ns, exposed_communication_ns, exposed_copy_ns, idle_ns,
                 communication_ns, hidden_communication_ns, copy_ns)
AACO_JSON_FIELDS(RankStep, rank, step, shares)
AACO_JSON_FIELDS(RankOverlap, rank, mean, idle_by_cause, waited_ns, last)
AACO_JSON_FIELDS(CollectiveOverlap, name, group, bytes, count, transfer_ns, waiting_ns, exposed_ns, algorithm_bandwidth,
                 bus_bandwidth)
AACO_JSON_FIELDS(KernelContention, name, beside, alone_ns, extra_ns)
AACO_JSON_FIELDS(OverlapSpeedup, serial_ns, longest_ns, overlapped_ns, share)
AACO_JSON_FIELDS(OverlapFigures, steps, median_step_ns, ranks, rank_steps, collectives, transfer_ns, waiting_ns,
                 speedup, contention_tax_ns, contention, unavailable)

namespace {

std::optional<double> ratio(double part, double whole) {
  return whole > 0 ? std::optional(part / whole) : std::nullopt;
}

double length_within(const SpanSet& set, const Span& window) {
  return static_cast<double>(length_ns(intersect(set, {window})));
}

void add(StepShares& to, const StepShares& other, double weight) {
  to.window_ns += weight * other.window_ns;
  to.computation_ns += weight * other.computation_ns;
  to.exposed_communication_ns += weight * other.exposed_communication_ns;
  to.exposed_copy_ns += weight * other.exposed_copy_ns;
  to.idle_ns += weight * other.idle_ns;
  to.communication_ns += weight * other.communication_ns;
  to.hidden_communication_ns += weight * other.hidden_communication_ns;
  to.copy_ns += weight * other.copy_ns;
}

// The union of a class's slices.
SpanSet set_of(const EventTable& events, const DeviceWork& work, WorkClass of) {
  std::vector<Span> spans;
  for (const DeviceSlice& slice : work.slices) {
    if (slice.work == of) {
      spans.push_back(span_of(events, slice));
    }
  }
  return union_of(spans);
}

// Each step ends with its last slice, and the next begins there.
std::vector<Span> windows_of(const EventTable& events, const std::vector<std::vector<DeviceSlice>>& steps,
                             int64_t start_ns) {
  std::vector<Span> windows;
  for (const std::vector<DeviceSlice>& slices : steps) {
    int64_t end_ns = start_ns;
    for (const DeviceSlice& slice : slices) {
      end_ns = std::max(end_ns, events.end_ns(slice.event));
    }
    windows.push_back({start_ns, end_ns});
    start_ns = end_ns;
  }
  return windows;
}

class FigureMaker {
 public:
  explicit FigureMaker(const OverlapRecords& records)
      : records_(records), events_(records.overlapped), launches_(events_), devices_(device_work(events_, launches_)) {}

  Result<OverlapFigures> make() {
    figures_.steps = records_.steps;
    for (const DeviceWork& work : devices_) {
      AACO_TRY(add_rank(work));
    }
    for (const auto& [step, window_ns] : slowest_) {
      windows_.push_back(window_ns);
    }
    figures_.median_step_ns = median(windows_).value_or(0);
    add_collectives();
    if (records_.alone == nullptr) {
      figures_.unavailable.emplace_back("share of the ideal speed-up, contention: no steps were recorded one by one");
    } else {
      AACO_TRY(add_alone());
    }
    return std::move(figures_);
  }

 private:
  Result<void> add_rank(const DeviceWork& work) {
    AACO_ASSIGN(const auto steps, slices_by_step(events_, work, records_.steps));
    const TimeBudget budget = time_budget(events_, work.slices);
    const SpanSet communication = set_of(events_, work, WorkClass::kCommunication);
    const SpanSet copies = set_of(events_, work, WorkClass::kCopy);
    RankOverlap rank;
    rank.rank = work.rank;
    int64_t number = 0;
    for (const Span& window : windows_of(events_, steps, budget.shares.window.start_ns)) {
      StepShares shares;
      shares.window_ns = static_cast<double>(window.end_ns - window.start_ns);
      shares.computation_ns = length_within(budget.computation, window);
      shares.exposed_communication_ns = length_within(budget.exposed_communication, window);
      shares.exposed_copy_ns = length_within(budget.exposed_copy, window);
      shares.idle_ns = length_within(budget.idle, window);
      shares.communication_ns = length_within(communication, window);
      shares.hidden_communication_ns = shares.communication_ns - shares.exposed_communication_ns;
      shares.copy_ns = length_within(copies, window);
      add(rank.mean, shares, 1 / static_cast<double>(records_.steps));
      slowest_[number] = std::max(slowest_[number], shares.window_ns);
      figures_.rank_steps.push_back({work.rank, number++, shares});
    }
    add_idle_causes(work, budget.idle, rank);
    figures_.ranks.push_back(std::move(rank));
    return {};
  }

  void add_idle_causes(const DeviceWork& work, const SpanSet& idle, RankOverlap& rank) const {
    const RowGroups order = stream_order(events_, work);
    const StreamDependencies dependencies(events_, work, launches_, order.all());
    const HostTimeline host(events_, kHostKinds);
    const size_t most_parts = 1'000 + 64 * events_.size();
    const IdleCauses causes = idle_causes({events_, host, most_parts}, work, dependencies, idle);
    for (size_t cause = 0; cause < kIdleCauses; ++cause) {
      if (const int64_t total_ns = causes.shares[cause].total_ns; total_ns > 0) {
        rank.idle_by_cause[idle_cause_name(static_cast<IdleCause>(cause))] =
            static_cast<double>(total_ns) / static_cast<double>(records_.steps);
      }
    }
  }

  RankOverlap* rank_named(int64_t rank) {
    const auto found =
        std::find_if(figures_.ranks.begin(), figures_.ranks.end(), [&](const auto& one) { return one.rank == rank; });
    return found == figures_.ranks.end() ? nullptr : &*found;
  }

  void add_collectives() {
    const CollectiveTransfers transfers = collective_transfers(events_, devices_, launches_, records_.steps);
    figures_.collectives = transfers.collectives;
    for (const CollectiveOverlap& collective : figures_.collectives) {
      figures_.transfer_ns += collective.transfer_ns;
      figures_.waiting_ns += collective.waiting_ns;
    }
    for (const auto& [rank, share] : transfers.ranks) {
      if (RankOverlap* one = rank_named(rank); one != nullptr) {
        one->waited_ns = share.waited_ns;
        one->last = share.last;
      }
    }
    for (const std::string& reason : transfers.unavailable) {
      figures_.unavailable.push_back(reason);
    }
  }

  // Each class alone at its fastest: computation and copies of the slowest rank.
  Result<void> add_alone() {
    const EventTable& alone = *records_.alone;
    const LaunchIndex launches(alone);
    const std::vector<DeviceWork> devices = device_work(alone, launches);
    double computation_ns = 0;
    double copies_ns = 0;
    for (const DeviceWork& work : devices) {
      AACO_ASSIGN(const auto steps, slices_by_step(alone, work, records_.alone_steps));
      computation_ns = std::max(computation_ns, fastest_ns(alone, steps, WorkClass::kComputation));
      copies_ns = std::max(copies_ns, fastest_ns(alone, steps, WorkClass::kCopy));
    }
    const double communication_ns =
        collective_transfers(alone, devices, launches, records_.alone_steps).fastest_step_ns;
    OverlapSpeedup speedup;
    speedup.serial_ns = computation_ns + communication_ns + copies_ns;
    speedup.longest_ns = std::max({computation_ns, communication_ns, copies_ns});
    speedup.overlapped_ns = figures_.median_step_ns;
    speedup.share = ratio(speedup.serial_ns - speedup.overlapped_ns, speedup.serial_ns - speedup.longest_ns);
    figures_.speedup = speedup;
    auto contention = contention_of({events_, devices_, records_.steps}, {alone, devices, records_.alone_steps});
    if (!contention) {
      figures_.unavailable.push_back("contention: " + contention.error().message);
      return {};
    }
    figures_.contention = std::move(contention->kernels);
    if (!contention->left_out.empty()) {
      figures_.unavailable.push_back(
          fmt::format("contention of kernels that several streams do, which cannot be told apart: {}",
                      fmt::join(contention->left_out, ", ")));
      if (figures_.contention.empty()) {
        return {};
      }
    }
    figures_.contention_tax_ns = 0;
    for (const KernelContention& kernel : figures_.contention) {
      *figures_.contention_tax_ns += kernel.extra_ns;
    }
    return {};
  }

  static double fastest_ns(const EventTable& events, const std::vector<std::vector<DeviceSlice>>& steps, WorkClass of) {
    std::optional<double> fastest;
    for (const std::vector<DeviceSlice>& slices : steps) {
      double sum_ns = 0;
      for (const DeviceSlice& slice : slices) {
        sum_ns += slice.work == of ? static_cast<double>(events.duration_ns[slice.event]) : 0;
      }
      fastest = std::min(fastest.value_or(sum_ns), sum_ns);
    }
    return fastest.value_or(0);
  }

  const OverlapRecords& records_;
  const EventTable& events_;
  LaunchIndex launches_;
  std::vector<DeviceWork> devices_;
  std::map<int64_t, double> slowest_;  // window of each step
  std::vector<double> windows_;
  OverlapFigures figures_;
};

}  // namespace

std::optional<double> StepShares::communication_hidden() const {
  return ratio(hidden_communication_ns, communication_ns);
}
std::optional<double> StepShares::computation_overlapped() const {
  return ratio(hidden_communication_ns, computation_ns);
}

Result<OverlapFigures> overlap_figures(const OverlapRecords& records) { return FigureMaker(records).make(); }

}  // namespace aaco
