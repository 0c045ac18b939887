// SPDX-License-Identifier: MIT
#include "analysis/model_run/activity.h"

#include <algorithm>

namespace aaco {

namespace {

MetricValue over_wall(const char* id, const Context& context, double busy_ns) {
  if (context.latency() == nullptr) {
    return no_data(id, "no unprofiled iteration was recorded");
  }
  const auto& interval = context.latency()->p50_ns.interval;
  return measured(id, busy_ns / context.latency()->p50_ns.value,
                  interval ? std::optional(Interval{busy_ns / interval->high, busy_ns / interval->low}) : std::nullopt);
}

MetricValue overhead_on_cpu(const Context& context) {
  constexpr const char* kId = "cpu_overhead_ratio";
  const MetricValue* exposed = context.analysis.metric("exposed_launch_time");
  if (exposed == nullptr || !exposed->value) {
    MetricValue missing = exposed == nullptr ? no_data(kId, "needs --profile") : *exposed;
    missing.id = kId;
    return missing;
  }
  const double latency = context.latency()->p50_ns.value;
  const auto share = [&](double ns) { return std::clamp(ns / latency, 0.0, 1.0); };
  return upper_bound(kId, share(*exposed->value),
                     Interval{share(exposed->interval->low), share(exposed->interval->high)});
}

}  // namespace

std::vector<MetricValue> activity_metrics(const Context& context) {
  if (context.profile.activity != NodeActivity::kDeviceKernel) {
    MetricValue overhead =
        context.lacks_device ? no_data("cpu_overhead_ratio", kNeedsDeviceActivity) : overhead_on_cpu(context);
    return {no_data("gpu_active_ratio_sum", kNeedsDeviceActivity),
            no_data("gpu_active_ratio_union", kNeedsDeviceActivity), std::move(overhead)};
  }
  std::vector<MetricValue> metrics{over_wall("gpu_active_ratio_sum", context, *context.nodes.durations_ns),
                                   over_wall("gpu_active_ratio_union", context, *context.nodes.union_ns)};
  const MetricValue& active = metrics.back();
  metrics.push_back(active.value ? measured("cpu_overhead_ratio", std::max(0.0, 1 - *active.value))
                                 : no_data("cpu_overhead_ratio", "no unprofiled iteration was recorded"));
  return metrics;
}

}  // namespace aaco
