// SPDX-License-Identifier: MIT
#include "kind/queue_run/timeline/workload_switches.h"

#include <algorithm>
#include <functional>

#include "kind/queue_run/analysis/signed_figure.h"

namespace aaco {

namespace {

// Gaps of one process by class.
struct Gaps {
  std::vector<double> same_stream, other_stream, hand_off;
};

void add_pair(const ReadyKernel& before, const ReadyKernel& kernel, Gaps& gaps, WorkloadSwitches& result) {
  ++result.pairs;
  if (kernel.start_ns < before.end_ns) {
    ++result.overlapped;
  } else if (!kernel.ready_ns) {
    ++(kernel.unresolved ? result.unresolved : result.unknown);
  } else if (*kernel.ready_ns > before.end_ns) {
    ++result.not_ready;
  } else {
    const auto gap = static_cast<double>(kernel.start_ns - before.end_ns);
    if (kernel.stream == before.stream) {
      gaps.same_stream.push_back(gap);
    } else if (std::find(kernel.producers.begin(), kernel.producers.end(), before.correlation) !=
               kernel.producers.end()) {
      gaps.hand_off.push_back(gap);
    } else {
      gaps.other_stream.push_back(gap);
    }
  }
}

Gaps gaps_of(const ActivityRun& run, WorkloadSwitches& result) {
  Gaps gaps;
  const std::vector<ReadyKernel> kernels = ready_kernels(run);
  const ReadyKernel* before = nullptr;  // the one that ends last so far on the device
  for (const ReadyKernel& kernel : kernels) {
    if (before != nullptr && before->device != kernel.device) {
      before = nullptr;
    }
    if (before != nullptr) {
      add_pair(*before, kernel, gaps, result);
    }
    if (before == nullptr || kernel.end_ns >= before->end_ns) {
      before = &kernel;
    }
  }
  result.same_stream += static_cast<int64_t>(gaps.same_stream.size());
  result.other_stream += static_cast<int64_t>(gaps.other_stream.size());
  result.hand_off += static_cast<int64_t>(gaps.hand_off.size());
  return gaps;
}

// Medians by process of one class, and their difference to the same stream where a process has both.
struct ClassMedians {
  std::vector<double> gaps, costs;
  void add(const std::vector<double>& values, const std::optional<double>& same_stream) {
    if (const auto middle = median(values)) {
      gaps.push_back(*middle);
      if (same_stream) {
        costs.push_back(*middle - *same_stream);
      }
    }
  }
};

// Where there is no figure at all.
void set_all(WorkloadSwitches& result, const std::function<MetricValue(const char* id)>& figure) {
  result.same_stream_gap = figure("workload_same_stream_gap");
  result.other_stream_gap = figure("workload_other_stream_gap");
  result.hand_off_gap = figure("workload_hand_off_gap");
  result.switch_cost = figure("workload_switch_cost");
  result.hand_off_cost = figure("workload_hand_off_cost");
}

MetricValue gap_figure(const char* id, const std::vector<double>& values) {
  return values.empty() ? no_data(id, "no such pair of kernels was ready in time and apart")
                        : figure_over_processes(id, values);
}

MetricValue cost_figure(const char* id, const std::vector<double>& values) {
  return values.empty() ? no_data(id, "needs gaps of both kinds in one process") : figure_over_processes(id, values);
}

}  // namespace

WorkloadSwitches workload_switches(std::span<const ActivityRun> processes) {
  WorkloadSwitches result;
  if (const std::string problem = activity_problem(processes); !problem.empty()) {
    set_all(result, [&](const char* id) { return invalid(id, problem); });
    return result;
  }
  ClassMedians same_stream;
  ClassMedians other_stream;
  ClassMedians hand_off;
  for (const ActivityRun& run : processes) {
    const Gaps gaps = gaps_of(run, result);
    const auto reference = median(gaps.same_stream);
    same_stream.add(gaps.same_stream, reference);
    other_stream.add(gaps.other_stream, reference);
    hand_off.add(gaps.hand_off, reference);
  }
  if (const std::string problem = readiness_problem(processes); !problem.empty()) {
    set_all(result, [&](const char* id) { return no_data(id, problem); });
    return result;
  }
  result.same_stream_gap = gap_figure("workload_same_stream_gap", same_stream.gaps);
  result.other_stream_gap = gap_figure("workload_other_stream_gap", other_stream.gaps);
  result.hand_off_gap = gap_figure("workload_hand_off_gap", hand_off.gaps);
  result.switch_cost = cost_figure("workload_switch_cost", other_stream.costs);
  result.hand_off_cost = cost_figure("workload_hand_off_cost", hand_off.costs);
  return result;
}

}  // namespace aaco
