// SPDX-License-Identifier: MIT
#include "kind/queue_run/analysis/profiling_overhead.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

#include "kind/queue_run/analysis/signed_figure.h"

namespace aaco {

namespace {

constexpr const char* kId = "profiling_overhead";

enum class TimeBasis : uint8_t { kIteration, kWall, kDispatch };

const char* name_of(TimeBasis what) {
  switch (what) {
    case TimeBasis::kIteration:
      return "iteration p50";
    case TimeBasis::kWall:
      return "wall time per iteration";
    case TimeBasis::kDispatch:
      return "host time to enqueue an iteration";
  }
  return "";
}

std::optional<double> value_of(const QueueProcess& process, TimeBasis what) {
  if (process.iterations == 0) {
    return std::nullopt;
  }
  if (what == TimeBasis::kWall) {
    return static_cast<double>(process.wall_ns) / static_cast<double>(process.iterations);
  }
  return what == TimeBasis::kIteration ? process.p50_ns : process.dispatch_p50_ns;
}

MetricValue ratio_of(std::span<const double> unprofiled, std::span<const double> profiled) {
  if (unprofiled.empty()) {
    return no_data(kId, "no pair of a profiled and an unprofiled process");
  }
  if (unprofiled.size() < kLeastProcesses) {
    double sum = 0;
    for (size_t i = 0; i < unprofiled.size(); ++i) {
      sum += std::log(profiled[i] / unprofiled[i]);
    }
    return {kId,
            std::exp(sum / static_cast<double>(unprofiled.size())),
            std::nullopt,
            {QualityKind::kInconclusive,
             fmt::format("needs {} pairs of processes, has {}", kLeastProcesses, unprofiled.size())}};
  }
  const auto estimate = paired_log_ratio(unprofiled, profiled, 0.95);
  return estimate ? measured(kId, estimate->ratio, estimate->interval) : no_data(kId, "a time is not positive");
}

}  // namespace

ProfilingOverhead profiling_overhead(std::span<const QueueProcess> unprofiled, std::span<const QueueProcess> profiled,
                                     bool waits) {
  const bool each = std::any_of(unprofiled.begin(), unprofiled.end(),
                                [](const QueueProcess& process) { return process.p50_ns.has_value(); });
  const TimeBasis what = each ? TimeBasis::kIteration : waits ? TimeBasis::kWall : TimeBasis::kDispatch;
  std::vector<double> without;
  std::vector<double> with;
  for (size_t i = 0; i < std::min(unprofiled.size(), profiled.size()); ++i) {
    const auto before = value_of(unprofiled[i], what);
    const auto after = value_of(profiled[i], what);
    if (before && after && *before > 0 && *after > 0) {
      without.push_back(*before);
      with.push_back(*after);
    }
  }
  return {ratio_of(without, with), name_of(what), estimate_over_processes(without), estimate_over_processes(with)};
}

}  // namespace aaco
