// SPDX-License-Identifier: MIT
#include "kind/queue_run/timeline/same_stream_gap.h"

namespace aaco {

SameStreamGap same_stream_gap(std::span<const ActivityRun> processes) {
  constexpr const char* kMedian = "same_stream_gap_p50";
  constexpr const char* kTail = "same_stream_gap_p99";
  SameStreamGap result;
  if (const std::string problem = activity_problem(processes); !problem.empty()) {
    result.p50 = invalid(kMedian, problem);
    result.p99 = invalid(kTail, problem);
    return result;
  }
  std::vector<std::vector<double>> by_process;
  for (const ActivityRun& run : processes) {
    std::vector<double>& gaps = by_process.emplace_back();
    for (const ReadyKernel& kernel : ready_kernels(run)) {
      if (!kernel.previous_end_ns) {
        continue;  // the first of its stream
      }
      if (!kernel.ready_ns) {
        ++result.unknown;
      } else if (*kernel.ready_ns > *kernel.previous_end_ns) {
        ++result.not_ready;
      } else {
        gaps.push_back(static_cast<double>(kernel.start_ns - *kernel.previous_end_ns));
      }
    }
  }
  if (const std::string problem = readiness_problem(processes); !problem.empty()) {
    result.p50 = no_data(kMedian, problem);
    result.p99 = no_data(kTail, problem);
    return result;
  }
  result.gaps_ns = signed_distribution(by_process);
  result.p50 = figure_over_processes(kMedian, result.gaps_ns.process_medians);
  result.p99 = tail_figure(kTail, result.gaps_ns);
  return result;
}

}  // namespace aaco
