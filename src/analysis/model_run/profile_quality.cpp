// SPDX-License-Identifier: MIT
#include "analysis/model_run/profile_quality.h"

#include <fmt/format.h>

#include "analysis/model_run/latency.h"
#include "base/format.h"

namespace aaco {

namespace {

MetricValue reconciliation(const Context& context) {
  constexpr const char* kId = "profile_reconciliation";
  if (context.nodes.activity == NodeActivity::kHostEnqueue) {
    return no_data(kId, kNeedsDeviceActivity);
  }
  if (!context.nodes.available() || context.latency() == nullptr) {
    return no_data(kId, context.nodes.available() ? "no unprofiled iteration was recorded" : context.nodes.unavailable);
  }
  const TimeSum& sum = context.nodes.sum;
  const Interval latency = range_of(context.latency()->p50_ns);
  const Interval range{sum.range.low / latency.high, sum.range.high / latency.low};
  if (sum.known == 0) {
    return no_data(kId, fmt::format("no node's time is known: the sum is at most {:.3g} of the latency", range.high));
  }
  return measured(kId, sum.known_ns / context.latency()->p50_ns.value, range);
}

MetricValue off_provider(const RunFacts& facts) {
  constexpr const char* kId = "nodes_off_provider";
  if (facts.nodes_by_provider.empty()) {
    return no_data(kId, "the runtime's partition was not recorded");
  }
  int64_t nodes = 0;
  for (const auto& [provider, count] : facts.nodes_by_provider) {
    nodes += provider == facts.provider ? 0 : count;
  }
  return measured(kId, static_cast<double>(nodes));
}

}  // namespace

std::vector<MetricValue> profile_quality_metrics(const Context& context) {
  const NodeTimes& nodes = context.nodes;
  const auto executed = static_cast<double>(nodes.nodes.size());
  std::vector<MetricValue> metrics{reconciliation(context)};
  metrics.push_back(executed > 0 ? measured("node_time_coverage", static_cast<double>(nodes.sum.known) / executed)
                                 : no_data("node_time_coverage", nodes.unavailable));
  if (context.lacks_device) {
    metrics.push_back(no_data("dispatches_per_inference", kNeedsDeviceActivity));
  } else {
    metrics.push_back(nodes.dispatches_per_inference
                          ? measured("dispatches_per_inference", *nodes.dispatches_per_inference)
                          : no_data("dispatches_per_inference", nodes.unavailable));
  }
  metrics.push_back(off_provider(context.recording.facts));
  return metrics;
}

std::vector<std::string> profile_warnings(const Context& context) {
  std::vector<std::string> warnings;
  const auto& cost = context.recording.facts.profiler_cost;
  if (cost && cost->events_lost > 0) {
    warnings.push_back(
        fmt::format("the profile lost {} events or more: node times are those of the inferences that are whole",
                    cost->events_lost));
  }
  if (cost && cost->event_limit_hit) {
    warnings.push_back(
        "the profile holds fewer inferences than were run: the profiler reached its limit of events, or was cut short");
  }
  if (context.profile.stray_rows > 0) {
    warnings.push_back(
        fmt::format("{} kernel rows belong to no profiled iteration and were left out", context.profile.stray_rows));
  }
  if (context.nodes.activity == NodeActivity::kHostEnqueue) {
    warnings.push_back("node times are the host's enqueue times, not device times: they are never used as such");
  } else if (context.nodes.union_ns && context.latency() != nullptr &&
             context.nodes.union_range.low > range_of(context.latency()->p50_ns).high) {
    warnings.push_back(
        fmt::format("the de-biased node times ({}) exceed the unprofiled latency ({}) by more than their bounds: "
                    "the profiler slowed the nodes, and their times are too high",
                    format_duration_ns(*context.nodes.union_ns), format_duration_ns(context.latency()->p50_ns.value)));
  }
  return warnings;
}

}  // namespace aaco
