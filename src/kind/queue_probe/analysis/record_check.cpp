// SPDX-License-Identifier: MIT
#include "kind/queue_probe/analysis/record_check.h"

#include <algorithm>
#include <fmt/format.h>

namespace aaco {

namespace {

std::string problem_of(const RecordRun& run) {
  if (!run.unavailable.empty()) {
    return run.unavailable;
  }
  if (run.dropped > 0) {
    return fmt::format("the collector lost {} records", run.dropped);
  }
  if (run.launched == 0 || run.kernels.size() != static_cast<size_t>(run.launched)) {
    return fmt::format("{} kernels were launched, and not as many recorded", run.launched);
  }
  return run.clock_step_ns ? "" : "the step of the kernels' clock is not known";
}

// The largest offset that the ends allow, less the smallest that the starts allow.
int64_t room_of(std::span<const RecordedKernel> kernels) {
  int64_t least = kernels.front().record_start_ns - kernels.front().stamp_start_ns;
  int64_t most = kernels.front().record_end_ns - kernels.front().stamp_end_ns;
  for (const RecordedKernel& kernel : kernels) {
    least = std::max(least, kernel.record_start_ns - kernel.stamp_start_ns);
    most = std::min(most, kernel.record_end_ns - kernel.stamp_end_ns);
  }
  return most - least;
}

}  // namespace

RecordCheck record_check(std::span<const RecordRun> processes) {
  RecordCheck check;
  std::vector<std::vector<double>> excess;
  double step_ns = 0;
  for (const RecordRun& run : processes) {
    if (const std::string problem = problem_of(run); !problem.empty()) {
      check.agreement = {AgreementKind::kNoData, problem};
      check.excess = invalid("record_excess", problem);
      return check;
    }
    std::vector<double>& here = excess.emplace_back();
    for (const RecordedKernel& kernel : run.kernels) {
      here.push_back(static_cast<double>((kernel.record_end_ns - kernel.record_start_ns) -
                                         (kernel.stamp_end_ns - kernel.stamp_start_ns)));
    }
    const auto room = static_cast<double>(room_of(run.kernels));
    check.room_ns = std::min(check.room_ns.value_or(room), room);
    check.kernels += run.launched;
    step_ns = std::max(step_ns, *run.clock_step_ns);
  }
  check.processes = static_cast<int64_t>(processes.size());
  check.excess = figure_over_processes("record_excess", signed_distribution(excess).process_medians);
  if (!check.room_ns) {
    check.agreement = {AgreementKind::kNoData, "no process"};
  } else if (*check.room_ns >= -step_ns) {
    check.agreement = {AgreementKind::kAgree, ""};
  } else {
    check.agreement = {
        AgreementKind::kDisagree,
        fmt::format("whatever the offset of the two clocks, a kernel ran {:.0f} ns outside of its record",
                    -*check.room_ns)};
  }
  return check;
}

}  // namespace aaco
