// SPDX-License-Identifier: MIT
#include "analysis/launch_tax.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "analysis/latency.h"
#include "base/format.h"

namespace aaco {

namespace {

// A dispatch by the limits that its recorded duration sets.
enum class Size { kMicro, kLarger, kUnknown };

struct Dispatch {
  Size size = Size::kUnknown;
  bool timed = false;  // above resolution
  double time_ns = 0;
  Interval range;
};

Dispatch dispatch_of(const KernelRow& row, const ExecutionCost& cost, double threshold_ns) {
  Dispatch dispatch;
  const double bound = cost.bound_ns + cost.resolution_ns;
  dispatch.time_ns = static_cast<double>(row.dur_ns) - cost.per_execution_ns;
  dispatch.timed = dispatch.time_ns > bound;
  dispatch.range = {std::max(0.0, dispatch.time_ns - bound), std::max(0.0, dispatch.time_ns) + bound};
  if (dispatch.timed) {
    dispatch.size = dispatch.time_ns < threshold_ns ? Size::kMicro : Size::kLarger;
  } else if (dispatch.range.high < threshold_ns) {
    dispatch.size = Size::kMicro;
  }
  return dispatch;
}

template <class Visit>
void for_each_dispatch(const Context& context, const Visit& visit) {
  const auto cost = execution_cost(context.recording.facts, context.profile.activity);
  if (!cost) {
    return;
  }
  for (const ProfiledInference& inference : context.profile.inferences) {
    for (const KernelRow* row : inference.rows) {
      if (!is_control_flow(row->op_type)) {
        visit(*row, dispatch_of(*row, *cost, context.options.microkernel_ns));
      }
    }
  }
}

struct Tally {
  int64_t dispatches = 0;
  int64_t micro = 0;
  int64_t unknown = 0;
  int64_t timed = 0;
  double micro_known_ns = 0;
  double all_known_ns = 0;
  Interval micro_ns;   // limits of the time in microkernels
  Interval larger_ns;  // and in all others
};

Tally tally(const Context& context) {
  Tally result;
  for_each_dispatch(context, [&](const KernelRow&, const Dispatch& dispatch) {
    ++result.dispatches;
    const double known = dispatch.timed ? dispatch.time_ns : 0;
    result.all_known_ns += known;
    result.timed += dispatch.timed ? 1 : 0;
    if (dispatch.size == Size::kMicro) {
      ++result.micro;
      result.micro_known_ns += known;
      result.micro_ns.low += dispatch.range.low;
    } else if (dispatch.size == Size::kLarger) {
      result.larger_ns.low += dispatch.range.low;
    } else {
      ++result.unknown;
    }
    result.micro_ns.high += dispatch.size == Size::kLarger ? 0 : dispatch.range.high;
    result.larger_ns.high += dispatch.size == Size::kMicro ? 0 : dispatch.range.high;
  });
  return result;
}

MetricValue fraction_by_count(const Tally& counted) {
  const auto all = static_cast<double>(counted.dispatches);
  const double low = static_cast<double>(counted.micro) / all;
  const double high = static_cast<double>(counted.micro + counted.unknown) / all;
  return measured("microkernel_fraction_count", low,
                  counted.unknown == 0 ? std::nullopt : std::optional(Interval{low, high}));
}

MetricValue fraction_by_time(const Tally& counted) {
  constexpr const char* kId = "microkernel_fraction_time";
  if (counted.micro == counted.dispatches) {
    return measured(kId, 1, Interval{1, 1});  // whatever their times are
  }
  const auto share = [](double part, double rest) { return part + rest > 0 ? part / (part + rest) : 0; };
  const Interval range{share(counted.micro_ns.low, counted.larger_ns.high),
                       share(counted.micro_ns.high, counted.larger_ns.low)};
  if (range.high - range.low > 0.5 || !(counted.all_known_ns > 0)) {
    return no_data(kId, fmt::format("node times are below resolution: the share lies between {:.2f} and {:.2f}",
                                    range.low, range.high));
  }
  MetricValue value = measured(kId, counted.micro_known_ns / counted.all_known_ns, range);
  if (counted.timed < counted.dispatches) {
    value.quality =
        fmt::format("measured: over the {} of dispatches that are above resolution",
                    format_percent(static_cast<double>(counted.timed) / static_cast<double>(counted.dispatches)));
  }
  return value;
}

std::optional<Interval> over_latency(double numerator, const LatencySummary& latency) {
  const auto& interval = latency.p50_ns.interval;
  return interval ? std::optional(Interval{numerator / interval->high, numerator / interval->low}) : std::nullopt;
}

// Node executions per inference: as profiled, else nodes of the optimized graph.
std::optional<double> executed_nodes(const Context& context) {
  if (context.nodes.dispatches_per_inference && context.profile.activity != activity::kDeviceKernel) {
    return context.nodes.dispatches_per_inference;
  }
  const int64_t optimized = context.recording.facts.nodes_optimized;
  return optimized > 0 ? std::optional(static_cast<double>(optimized)) : std::nullopt;
}

MetricValue mean_node_time(const Context& context) {
  constexpr const char* kId = "mean_node_time";
  const auto nodes = executed_nodes(context);
  const LatencySummary* latency = context.latency();
  if (latency == nullptr || !nodes) {
    return no_data(
        kId, latency == nullptr ? "no unprofiled iteration was recorded" : "the number of executed nodes is unknown");
  }
  const auto& interval = latency->p50_ns.interval;
  return measured(kId, latency->p50_ns.value / *nodes,
                  interval ? std::optional(Interval{interval->low / *nodes, interval->high / *nodes}) : std::nullopt);
}

MetricValue dispatch_cost_share(const Context& context) {
  constexpr const char* kId = "dispatch_cost_share";
  const auto& roofs = context.recording.facts.roofs;
  const auto nodes = executed_nodes(context);
  if (context.lacks_device) {
    return no_data(kId, kNeedsDeviceActivity);
  }
  if (!roofs || !roofs->launch_ns) {
    return no_data(kId, "the dispatch cost was not measured (aaco doctor --measure)");
  }
  if (!nodes || context.latency() == nullptr) {
    return no_data(kId, "the number of executed nodes or the latency is unknown");
  }
  const double cost_ns = *roofs->launch_ns * context.nodes.dispatches_per_inference.value_or(*nodes);
  return measured(kId, cost_ns / context.latency()->p50_ns.value, over_latency(cost_ns, *context.latency()));
}

MetricValue exposed_launch_time(const Context& context) {
  constexpr const char* kId = "exposed_launch_time";
  if (context.lacks_device) {
    return no_data(kId, kNeedsDeviceActivity);
  }
  if (context.profile.activity == activity::kDeviceKernel) {
    return no_data(kId, "needs the launch calls of the device's runtime");
  }
  if (!context.nodes.available() || context.latency() == nullptr) {
    return no_data(kId, context.nodes.available() ? "no unprofiled iteration was recorded" : context.nodes.unavailable);
  }
  const Interval latency = range_of(context.latency()->p50_ns);
  const Interval range{std::max(0.0, latency.low - context.nodes.union_range.high),
                       latency.high - context.nodes.union_range.low};
  if (range.high <= 0) {
    return no_data(kId, "the node times exceed the unprofiled latency: they do not reconcile");
  }
  return upper_bound(kId, std::max(0.0, context.latency()->p50_ns.value - *context.nodes.union_ns), range);
}

}  // namespace

std::map<std::string, double> microkernel_fraction_by_group(const Context& context) {
  std::map<std::pair<std::string_view, std::string_view>, std::pair<int64_t, int64_t>> counts;  // micro, all
  for_each_dispatch(context, [&](const KernelRow& row, const Dispatch& dispatch) {
    auto& [micro, all] = counts[{row.provider, row.op_type}];
    micro += dispatch.size == Size::kMicro ? 1 : 0;
    ++all;
  });
  std::map<std::string, double> fractions;
  for (const auto& [group, count] : counts) {
    fractions[std::string(group.first) + ":" + std::string(group.second)] =
        static_cast<double>(count.first) / static_cast<double>(count.second);
  }
  return fractions;
}

std::vector<MetricValue> launch_tax_metrics(const Context& context) {
  std::vector<MetricValue> metrics;
  const auto missing = [&](const std::string& reason) {
    for (const char* id :
         {"microkernel_fraction_count", "microkernel_fraction_time", "launch_rate", "launch_tax_score"}) {
      metrics.push_back(no_data(id, reason));
    }
  };
  const Tally counted = context.lacks_device || !context.nodes.available() ? Tally{} : tally(context);
  if (context.lacks_device) {
    missing(kNeedsDeviceActivity);
  } else if (counted.dispatches == 0 || context.latency() == nullptr) {
    missing(context.nodes.available() ? "no dispatch or no unprofiled iteration was recorded"
                                      : context.nodes.unavailable);
  } else {
    const double launches = *context.nodes.dispatches_per_inference;
    const double rate = launches * 1e9 / context.latency()->p50_ns.value;
    metrics.push_back(fraction_by_count(counted));
    const double fraction = *metrics.back().value;
    metrics.push_back(fraction_by_time(counted));
    const auto rate_interval = over_latency(launches * 1e9, *context.latency());
    metrics.push_back(measured("launch_rate", rate, rate_interval));
    metrics.push_back(measured("launch_tax_score", fraction * rate / 1000,
                               rate_interval ? std::optional(Interval{fraction * rate_interval->low / 1000,
                                                                      fraction * rate_interval->high / 1000})
                                             : std::nullopt));
  }
  metrics.push_back(exposed_launch_time(context));
  metrics.push_back(mean_node_time(context));
  metrics.push_back(dispatch_cost_share(context));
  return metrics;
}

}  // namespace aaco
