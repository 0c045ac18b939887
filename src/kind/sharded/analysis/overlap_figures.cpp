// SPDX-License-Identifier: MIT
#include "kind/sharded/analysis/overlap_figures.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/timeline/idle_causes.h"
#include "analysis/timeline/time_budget.h"
#include "base/json/json.h"
#include "base/statistics.h"
#include "kind/sharded/analysis/comparable_steps.h"
#include "kind/sharded/analysis/contention.h"
#include "kind/sharded/analysis/step_slices.h"
#include "kind/sharded/analysis/transfers.h"

namespace aaco {

AACO_JSON_FIELDS(StepShares, window_ns, computation_ns, exposed_communication_ns, exposed_copy_ns, idle_ns,
                 communication_ns, hidden_communication_ns, copy_ns)
AACO_JSON_FIELDS(RankStep, rank, step, shares)
AACO_JSON_FIELDS(RankOverlap, rank, mean, idle_by_cause, waited_ns, last)
AACO_JSON_FIELDS(CollectiveOverlap, name, group, bytes, count, transfer_ns, waiting_ns, exposed_ns, algorithm_bandwidth,
                 bus_bandwidth)
AACO_JSON_FIELDS(KernelContention, name, beside, alone_ns, extra_ns)
AACO_JSON_FIELDS(OverlapSpeedup, serial_ns, longest_ns, overlapped_ns, share, share_low, share_high, no_share)
AACO_JSON_FIELDS(RecordedTurn, rank, overlapped, clock_mhz, power_w)
AACO_JSON_FIELDS(OverlapFigures, steps, median_step_ns, ranks, rank_steps, collectives, transfer_ns, waiting_ns,
                 speedup, contention_tax_ns, no_contention_tax, computation_growth_ns, turns, contention, unavailable)

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

// Each step ends with its last slice, and the next of its turn begins there.
std::vector<Span> windows_of(const EventTable& events, const std::vector<std::vector<DeviceSlice>>& steps,
                             int64_t start_ns, int64_t turn_steps) {
  std::vector<Span> windows;
  for (const std::vector<DeviceSlice>& slices : steps) {
    if (turn_steps > 0 && static_cast<int64_t>(windows.size()) % turn_steps == 0 && !slices.empty()) {
      start_ns = events.start_ns[slices.front().event];
    }
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
    figures_.turns = records_.turns;
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
    const std::vector<Span> windows = windows_of(events_, steps, budget.shares.window.start_ns, records_.turn_steps);
    for (const Span& window : windows) {
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
    add_idle_causes(work, intersect(budget.idle, union_of(windows)), rank);
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
        rank.idle_by_cause[word_of(static_cast<IdleCause>(cause))] =
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
    const CollectiveTransfers transfers =
        collective_transfers(events_, devices_, launches_, records_.steps, records_.nodes);
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

  Result<void> add_alone() {
    const EventTable& alone = *records_.alone;
    const LaunchIndex launches(alone);
    const std::vector<DeviceWork> devices = device_work(alone, launches);
    AACO_ASSIGN(const StepParts parts, parts_alone(alone, devices, launches));
    auto contention = contention_of({events_, devices_, records_.steps}, {alone, devices, records_.alone_steps});
    const KernelGrowth growth = contention ? contention->growth : KernelGrowth();
    add_speedup(parts, growth);
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
    figures_.computation_growth_ns = growth.all_ns;
    if (!figures_.contention.empty()) {
      figures_.no_contention_tax = why_no_tax(growth, figures_.turns);
    }
    if (figures_.no_contention_tax.empty()) {
      figures_.contention_tax_ns = growth.beside_ns;
    }
    return {};
  }

  // By step: of the slowest rank; of communication the transfers.
  struct StepParts {
    std::vector<std::vector<double>> computation_ns;  // by rank
    std::vector<std::vector<double>> copies_ns;
    std::vector<double> communication_ns;
  };

  Result<StepParts> parts_alone(const EventTable& alone, const std::vector<DeviceWork>& devices,
                                const LaunchIndex& launches) const {
    StepParts parts;
    for (const DeviceWork& work : devices) {
      AACO_ASSIGN(const auto steps, slices_by_step(alone, work, records_.alone_steps));
      parts.computation_ns.push_back(sums_ns(alone, steps, WorkClass::kComputation));
      parts.copies_ns.push_back(sums_ns(alone, steps, WorkClass::kCopy));
    }
    parts.communication_ns =
        collective_transfers(alone, devices, launches, records_.alone_steps, records_.nodes).by_step_ns;
    return parts;
  }

  // Of steps [first, end): each class alone at its fastest, computation and copies of the slowest rank.
  static OverlapSpeedup speedup_of(const StepParts& parts, size_t first, size_t end, double overlapped_ns) {
    const auto fastest = [&](const std::vector<double>& by_step) {
      const auto last = by_step.begin() + static_cast<std::ptrdiff_t>(std::min(end, by_step.size()));
      const auto shortest = std::min_element(by_step.begin() + static_cast<std::ptrdiff_t>(first), last);
      return shortest == last ? 0 : *shortest;
    };
    const auto slowest = [&](const std::vector<std::vector<double>>& ranks) {
      double slowest_ns = 0;
      for (const std::vector<double>& by_step : ranks) {
        slowest_ns = std::max(slowest_ns, fastest(by_step));
      }
      return slowest_ns;
    };
    const double computation_ns = slowest(parts.computation_ns);
    const double copies_ns = slowest(parts.copies_ns);
    const double communication_ns = parts.communication_ns.empty() ? 0 : fastest(parts.communication_ns);
    OverlapSpeedup speedup;
    speedup.serial_ns = computation_ns + communication_ns + copies_ns;
    speedup.longest_ns = std::max({computation_ns, communication_ns, copies_ns});
    speedup.overlapped_ns = overlapped_ns;
    speedup.share = ratio(speedup.serial_ns - speedup.overlapped_ns, speedup.serial_ns - speedup.longest_ns);
    return speedup;
  }

  void add_speedup(const StepParts& parts, const KernelGrowth& growth) {
    OverlapSpeedup speedup = speedup_of(parts, 0, static_cast<size_t>(records_.alone_steps), figures_.median_step_ns);
    if (records_.turn_steps > 0) {
      take_share_of_turns(parts, speedup);
    }
    if (speedup.share) {
      double idle_ns = 0;
      for (const RankOverlap& rank : figures_.ranks) {
        idle_ns = std::max(idle_ns, rank.mean.idle_ns);
      }
      speedup.no_share = why_no_share(speedup, *speedup.share, idle_ns, growth, figures_.turns);
      if (!speedup.no_share.empty()) {
        speedup.share.reset();
      }
    }
    figures_.speedup = std::move(speedup);
  }

  // Each turn as it is against that one by one beside it: the share is the mean of theirs, which the interval is of.
  void take_share_of_turns(const StepParts& parts, OverlapSpeedup& speedup) const {
    std::vector<double> shares;
    const auto turn = static_cast<size_t>(records_.turn_steps);
    for (size_t first = 0; first + turn <= windows_.size(); first += turn) {
      const auto from = windows_.begin() + static_cast<std::ptrdiff_t>(first);
      const std::vector<double> steps(from, from + static_cast<std::ptrdiff_t>(turn));
      if (const auto share = speedup_of(parts, first, first + turn, median(steps).value_or(0)).share) {
        shares.push_back(*share);
      }
    }
    speedup.share = mean(shares);
    if (const auto half = half_width_over_processes(shares)) {
      speedup.share_low = *speedup.share - *half;
      speedup.share_high = *speedup.share + *half;
    }
  }

  static std::vector<double> sums_ns(const EventTable& events, const std::vector<std::vector<DeviceSlice>>& steps,
                                     WorkClass of) {
    std::vector<double> sums;
    for (const std::vector<DeviceSlice>& slices : steps) {
      double& sum_ns = sums.emplace_back(0);
      for (const DeviceSlice& slice : slices) {
        sum_ns += slice.work == of ? static_cast<double>(events.duration_ns[slice.event]) : 0;
      }
    }
    return sums;
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
