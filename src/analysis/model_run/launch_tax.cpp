// SPDX-License-Identifier: MIT
#include "analysis/model_run/launch_tax.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "analysis/model_run/latency.h"
#include "base/format.h"

namespace aaco {

namespace {

enum class Size { kMicro, kLarger, kUnknown };

// By the node's time per execution (a median, so that an execution during which the thread lost its processor does not
// turn a short kernel into a long one), or by its upper limit where that is all that is known.
Size size_of(const NodeTime& node, double threshold_ns) {
  const double per_execution = node.time_ns.value_or(node.upper_ns) / node.executions;
  if (per_execution < threshold_ns) {
    return Size::kMicro;
  }
  return node.time_ns ? Size::kLarger : Size::kUnknown;
}

// Executions per inference, by size.
struct Counts {
  double all = 0;
  double micro = 0;
  double unknown = 0;

  void add(const NodeTime& node, Size size) {
    all += node.executions;
    micro += size == Size::kMicro ? node.executions : 0;
    unknown += size == Size::kUnknown ? node.executions : 0;
  }
};

struct Tally {
  Counts counts;
  double timed = 0;  // executions of nodes whose time is known
  TimeSum micro;
  TimeSum larger;
  double unknown_upper_ns = 0;
};

Tally tally(const Context& context) {
  Tally result;
  std::vector<const NodeTime*> micro;
  std::vector<const NodeTime*> larger;
  for (const NodeTime& node : context.nodes.nodes) {
    if (is_control_flow(node.op_type)) {
      continue;
    }
    const Size size = size_of(node, context.recording.facts.microkernel_ns);
    result.counts.add(node, size);
    result.timed += node.time_ns ? node.executions : 0;
    if (size == Size::kUnknown) {
      result.unknown_upper_ns += node.upper_ns;
    } else {
      (size == Size::kMicro ? micro : larger).push_back(&node);
    }
  }
  result.micro = sum_of(micro);
  result.larger = sum_of(larger);
  return result;
}

MetricValue fraction_by_count(const Counts& counts) {
  const double low = counts.micro / counts.all;
  const double high = (counts.micro + counts.unknown) / counts.all;
  return measured("microkernel_fraction_count", low, high > low ? std::optional(Interval{low, high}) : std::nullopt);
}

MetricValue fraction_by_time(const Tally& counted) {
  constexpr const char* kId = "microkernel_fraction_time";
  if (!(counted.counts.micro < counted.counts.all)) {
    return measured(kId, 1, Interval{1, 1});  // whatever their times are
  }
  const auto share = [](double part, double rest) { return part + rest > 0 ? part / (part + rest) : 0; };
  const Interval range{share(counted.micro.range.low, counted.larger.range.high + counted.unknown_upper_ns),
                       share(counted.micro.range.high + counted.unknown_upper_ns, counted.larger.range.low)};
  const double known_ns = counted.micro.known_ns + counted.larger.known_ns;
  if (range.high - range.low > 0.5 || !(known_ns > 0)) {
    return no_data(kId, fmt::format("node times are too uncertain: the share lies between {:.2f} and {:.2f}", range.low,
                                    range.high));
  }
  MetricValue value = measured(kId, counted.micro.known_ns / known_ns, range);
  if (counted.timed < counted.counts.all) {
    value.quality = with_note(value.quality, fmt::format("over the {} of dispatches whose time is known",
                                                         format_percent(counted.timed / counted.counts.all)));
  }
  return value;
}

std::optional<Interval> over_latency(double numerator, const LatencySummary& latency) {
  const auto& interval = latency.p50_ns.interval;
  return interval ? std::optional(Interval{numerator / interval->high, numerator / interval->low}) : std::nullopt;
}

// Node executions per inference: as profiled, else nodes of the optimized graph.
std::optional<double> executed_nodes(const Context& context) {
  if (context.nodes.dispatches_per_inference && context.profile.activity != NodeActivity::kDeviceKernel) {
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
  const auto dispatch_ns = smallest_dispatch_ns(context.recording.facts);
  const auto nodes = executed_nodes(context);
  if (context.lacks_device) {
    return no_data(kId, kNeedsDeviceActivity);
  }
  if (!dispatch_ns) {
    return no_data(kId, "the cost of a dispatch was not calibrated");
  }
  if (!nodes || context.latency() == nullptr) {
    return no_data(kId, "the number of executed nodes or the latency is unknown");
  }
  const double cost_ns = *dispatch_ns * context.nodes.dispatches_per_inference.value_or(*nodes);
  return measured(kId, cost_ns / context.latency()->p50_ns.value, over_latency(cost_ns, *context.latency()));
}

// Launching calls during which no device worked, as profiled.
MetricValue exposed_launches_of_device(const Context& context) {
  constexpr const char* kId = "exposed_launch_time";
  const bool has_calls = std::ranges::any_of(
      context.recording.kernels, [](const KernelRow& row) { return row.activity == NodeActivity::kHostLaunch; });
  if (!has_calls) {
    return no_data(kId, "needs the launch calls of the device's runtime");
  }
  const std::optional<double> idle_ns = context.value("launch_idle_time");
  return idle_ns ? upper_bound(kId, *idle_ns) : no_data(kId, kNeedsDeviceActivity);
}

MetricValue exposed_launch_time(const Context& context) {
  constexpr const char* kId = "exposed_launch_time";
  if (context.lacks_device) {
    return no_data(kId, kNeedsDeviceActivity);
  }
  if (context.profile.activity == NodeActivity::kDeviceKernel) {
    return exposed_launches_of_device(context);
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

std::optional<double> smallest_dispatch_ns(const RunFacts& facts) {
  // A negative cost says that the unprofiled runs of the calibration were held up, and the dispatch with them.
  if (facts.profiler_cost && facts.profiler_cost->dispatch_ns && facts.profiler_cost->per_node_ns >= 0) {
    return facts.profiler_cost->dispatch_ns;
  }
  return facts.roofs ? facts.roofs->launch_ns : std::nullopt;
}

std::map<std::string, double> microkernel_fraction_by_group(const Context& context) {
  std::map<std::string, Counts> counts;
  for (const NodeTime& node : context.nodes.nodes) {
    if (!is_control_flow(node.op_type)) {
      counts[group_of(node)].add(node, size_of(node, context.recording.facts.microkernel_ns));
    }
  }
  std::map<std::string, double> fractions;
  for (const auto& [group, count] : counts) {
    fractions[group] = count.micro / count.all;
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
  } else if (!(counted.counts.all > 0) || context.latency() == nullptr) {
    missing(context.nodes.available() ? "no dispatch or no unprofiled iteration was recorded"
                                      : context.nodes.unavailable);
  } else {
    const double launches = *context.nodes.dispatches_per_inference;
    const double rate = launches * 1e9 / context.latency()->p50_ns.value;
    metrics.push_back(fraction_by_count(counted.counts));
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
