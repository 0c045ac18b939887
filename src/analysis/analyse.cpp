// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/learned/learned_limit.h"
#include "analysis/model_run/activity.h"
#include "analysis/model_run/amplification.h"
#include "analysis/model_run/conclusions/bottleneck.h"
#include "analysis/model_run/conclusions/offenders.h"
#include "analysis/model_run/conclusions/signals.h"
#include "analysis/model_run/conclusions/summary.h"
#include "analysis/model_run/context.h"
#include "analysis/model_run/host_load.h"
#include "analysis/model_run/latency.h"
#include "analysis/model_run/launch_tax.h"
#include "analysis/model_run/link/inference_budget.h"
#include "analysis/model_run/link/token_kernels.h"
#include "analysis/model_run/op_map.h"
#include "analysis/model_run/profile_quality.h"
#include "analysis/model_run/quota_load.h"
#include "analysis/model_run/rates.h"
#include "analysis/model_run/tokens.h"

namespace aaco {

namespace {

bool is_finite(const MetricValue& metric) {
  const Interval interval = metric.interval.value_or(Interval{});
  return std::isfinite(metric.value.value_or(0)) && std::isfinite(interval.low) && std::isfinite(interval.high);
}

void append(std::vector<MetricValue>& metrics, const std::vector<MetricValue>& more) {
  for (const MetricValue& metric : more) {
    metrics.push_back(is_finite(metric) ? metric
                                        : no_data(metric.id, "not a finite number: what was recorded is damaged"));
  }
}

MetricValue batch_exponent(const RunFacts& facts) {
  return facts.batch_exponent ? measured("batch_exponent", *facts.batch_exponent)
                              : no_data("batch_exponent", "needs aaco sweep");
}

void sort_by_table(std::vector<MetricValue>& metrics) {
  const auto position = [](const MetricValue& value) { return find_metric(value.id) - all_metrics().data(); };
  std::sort(metrics.begin(), metrics.end(),
            [&](const MetricValue& a, const MetricValue& b) { return position(a) < position(b); });
}

std::vector<std::string> run_warnings(const Context& context) {
  std::vector<std::string> warnings;
  const LatencySummary* latency = context.latency();
  if (latency == nullptr) {
    warnings.push_back("no unprofiled iteration was recorded: there is no latency");
    return warnings;
  }
  if (latency->processes < 3) {
    warnings.push_back(fmt::format("{} process{}: an interval needs 3 (--processes)", latency->processes,
                                   latency->processes == 1 ? "" : "es"));
  }
  if (const auto& denormals = context.recording.facts.denormals; denormals && !denormals->as_zero_p50_ns) {
    warnings.push_back(
        fmt::format("an inference computes with denormal numbers, which can slow it; what they cost was not "
                    "measured{}: compare --option session.set_denormal_as_zero=1",
                    denormals->as_zero_missing.empty() ? "" : " (" + denormals->as_zero_missing + ")"));
  }
  if (!latency->stationary) {
    warnings.push_back("a process was still warming up when measuring began: latency may drift");
  }
  if (!context.recording.facts.outputs_finite) {
    const auto& outputs = context.recording.facts.nonfinite_outputs;
    warnings.push_back(outputs.empty() ? "the model's outputs are not finite: the run is invalid"
                                       : fmt::format("{} not finite: the run is invalid: {}",
                                                     outputs.size() == 1 ? "an output is" : "outputs are",
                                                     fmt::join(outputs, ", ")));
  }
  return warnings;
}

}  // namespace

Analysis analyse(const Recording& recording) {
  Analysis analysis;
  analysis.latencies = latency_summaries(recording);
  Context context{recording, analysis, profile_view(recording), {}, lacks_device_activity(recording)};
  context.nodes = node_times(recording, context.profile);
  analysis.node_time_kind = context.nodes.activity;
  analysis.ops = op_kernel_map(context);
  analysis.groups = kernel_groups(context, analysis.ops);
  append(analysis.metrics, latency_metrics(recording, analysis.latencies));
  append(analysis.metrics, token_metrics(recording));
  append(analysis.metrics, profile_quality_metrics(context));
  append(analysis.metrics, device_metrics(context));
  append(analysis.metrics, token_kernel_metrics(context));
  append(analysis.metrics, launch_tax_metrics(context));
  append(analysis.metrics, amplification_metrics(context));
  append(analysis.metrics, activity_metrics(context));
  append(analysis.metrics, rate_metrics(context));
  append(analysis.metrics, {batch_exponent(recording.facts)});
  append(analysis.metrics, host_metrics(context));
  append(analysis.metrics, quota_metrics(context));
  sort_by_table(analysis.metrics);
  analysis.bottleneck = classify(evaluate_signals(context));
  analysis.learned = learned_limit(analysis.metrics, recording.facts.device_kind);
  analysis.warnings = run_warnings(context);
  const std::vector<std::string> of_profile = profile_warnings(context);
  analysis.warnings.insert(analysis.warnings.end(), of_profile.begin(), of_profile.end());
  analysis.offenders = find_offenders(context);
  analysis.summary = executive_summary(context);
  return analysis;
}

}  // namespace aaco
