// SPDX-License-Identifier: MIT
#include "kind/queue_run/timeline/launch_delay.h"

namespace aaco {

LaunchDelay launch_delay(std::span<const ActivityRun> processes) {
  constexpr const char* kMedian = "launch_delay_p50";
  constexpr const char* kTail = "launch_delay_p99";
  LaunchDelay result;
  if (const std::string problem = activity_problem(processes); !problem.empty()) {
    result.p50 = invalid(kMedian, problem);
    result.p99 = invalid(kTail, problem);
    return result;
  }
  std::vector<std::vector<double>> by_process;
  for (const ActivityRun& run : processes) {
    std::vector<double>& delays = by_process.emplace_back();
    for (const ReadyKernel& kernel : ready_kernels(run)) {
      if (kernel.launch_end_ns) {
        delays.push_back(static_cast<double>(kernel.start_ns - *kernel.launch_end_ns));
      } else {
        ++result.without_call;
      }
    }
  }
  result.delays_ns = signed_distribution(by_process);
  result.p50 = figure_over_processes(kMedian, result.delays_ns.process_medians);
  result.p99 = tail_figure(kTail, result.delays_ns);
  return result;
}

}  // namespace aaco
