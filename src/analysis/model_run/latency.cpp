// SPDX-License-Identifier: MIT
#include "analysis/model_run/latency.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/model_run/profile/process_series.h"
#include "base/statistics.h"

namespace aaco {

namespace {

struct Tail {
  std::optional<double> value;
  std::optional<Interval> interval;
};

// Iterations of a process are alike in what the process met with, so the interval rests on how far the processes' own
// quantiles lie apart (Student's t on their logarithms), about the pooled one: order statistics of all iterations would
// take them for independent.
Tail tail_of(const std::map<int64_t, std::vector<double>>& by_process, const std::vector<double>& pooled, double q,
             int64_t needed) {
  if (static_cast<int64_t>(pooled.size()) < needed) {
    return {};
  }
  const double value = *quantile(pooled, q);
  std::vector<double> logarithms;
  for (const auto& [process, values] : by_process) {
    if (static_cast<int64_t>(values.size()) < needed) {
      return {value, std::nullopt};
    }
    logarithms.push_back(std::log(*quantile(values, q)));
  }
  const auto half = half_width_over_processes(logarithms);
  return {value, half ? std::optional(Interval{value * std::exp(-*half), value * std::exp(*half)}) : std::nullopt};
}

bool all_stationary(const Recording& recording, ProcessRole role) {
  return std::all_of(recording.facts.process_facts.begin(), recording.facts.process_facts.end(),
                     [&](const ProcessFacts& process) { return process.role != role || process.stationary; });
}

const LatencySummary* find(const std::vector<LatencySummary>& summaries, IterationPhase phase) {
  const auto position = std::find_if(summaries.begin(), summaries.end(),
                                     [&](const LatencySummary& summary) { return summary.phase == phase; });
  return position == summaries.end() ? nullptr : &*position;
}

MetricValue tail_metric(const char* id, const std::optional<double>& value, const std::optional<Interval>& interval,
                        const LatencySummary& summary, int64_t needed) {
  if (!value) {
    return no_data(id, "needs " + std::to_string(needed) + " iterations, has " + std::to_string(summary.iterations));
  }
  return measured(id, *value, interval);
}

MetricValue cv_metric(const char* id, const std::optional<double>& value, const char* reason) {
  return value ? measured(id, *value) : no_data(id, reason);
}

// Median over the measuring processes of one of their facts.
MetricValue process_metric(const char* id, const Recording& recording, double ProcessFacts::* member, double to_ns) {
  std::vector<double> values;
  for (const ProcessFacts& process : recording.facts.process_facts) {
    if (process.role == ProcessRole::kMeasure && process.*member > 0) {
      values.push_back(process.*member * to_ns);
    }
  }
  const auto estimate = estimate_over_processes(values);
  return estimate ? measured(id, estimate->value, estimate->interval) : no_data(id, "no measuring process recorded it");
}

MetricValue throughput_metric(const Recording& recording) {
  constexpr const char* kId = "throughput";
  std::vector<double> rates;
  for (const auto& [process, elapsed_ns] : elapsed_per_inference(recording)) {
    rates.push_back(static_cast<double>(recording.facts.batch) * 1e9 / elapsed_ns);
  }
  if (rates.empty()) {
    return no_data(kId, "not recorded: no request has its prefill");
  }
  const auto estimate = estimate_over_processes(rates);
  return estimate ? measured(kId, estimate->value, estimate->interval) : no_data(kId, "the batch is not positive");
}

MetricValue profiling_tax(const LatencySummary* unprofiled, const LatencySummary* profiled) {
  constexpr const char* kId = "profiling_tax";
  if (unprofiled == nullptr || profiled == nullptr) {
    return no_data(kId, "needs --profile");
  }
  const auto ratio = welch_log_ratio(unprofiled->process_medians_ns, profiled->process_medians_ns, 0.95);
  if (!ratio) {
    return measured(kId, profiled->p50_ns.value / unprofiled->p50_ns.value);
  }
  return measured(kId, ratio->ratio, ratio->interval);
}

}  // namespace

Interval range_of(const Estimate& estimate) {
  return estimate.interval.value_or(Interval{estimate.value, estimate.value});
}

LatencySummary summarize_latency(IterationPhase phase, const std::map<int64_t, std::vector<double>>& by_process) {
  LatencySummary summary;
  summary.phase = phase;
  std::vector<double> pooled;
  std::vector<double> variations;
  for (const auto& [process, values] : by_process) {
    summary.process_medians_ns.push_back(*median(values));
    if (const auto cv = coefficient_of_variation(values)) {
      variations.push_back(*cv);
    }
    pooled.insert(pooled.end(), values.begin(), values.end());
  }
  summary.processes = static_cast<int64_t>(by_process.size());
  summary.iterations = static_cast<int64_t>(pooled.size());
  summary.p50_ns = *estimate_over_processes(summary.process_medians_ns);
  summary.mean_ns = mean(pooled);
  summary.min_ns = *std::min_element(pooled.begin(), pooled.end());
  summary.max_ns = *std::max_element(pooled.begin(), pooled.end());
  const Tail p90 = tail_of(by_process, pooled, 0.90, kIterationsForP90);
  const Tail p95 = tail_of(by_process, pooled, 0.95, kIterationsForP95);
  const Tail p99 = tail_of(by_process, pooled, 0.99, kIterationsForP99);
  summary.p90_ns = p90.value;
  summary.p95_ns = p95.value;
  summary.p99_ns = p99.value;
  summary.p90_interval_ns = p90.interval;
  summary.p95_interval_ns = p95.interval;
  summary.p99_interval_ns = p99.interval;
  summary.within_process_cv = median(variations);
  summary.between_process_cv = coefficient_of_variation(summary.process_medians_ns);
  return summary;
}

std::vector<LatencySummary> latency_summaries(const Recording& recording) {
  std::vector<LatencySummary> summaries;
  for (const IterationPhase phase :
       {IterationPhase::kMeasure, IterationPhase::kProfile, IterationPhase::kPrefill, IterationPhase::kDecode}) {
    std::map<int64_t, std::vector<double>> by_process;
    for (auto& [process, series] : process_series(recording, phase)) {
      by_process[process] = std::move(series.latencies_ns);
    }
    if (!by_process.empty()) {
      summaries.push_back(summarize_latency(phase, by_process));
      summaries.back().stationary =
          all_stationary(recording, phase == IterationPhase::kProfile ? ProcessRole::kProfile : ProcessRole::kMeasure);
    }
  }
  return summaries;
}

std::vector<MetricValue> latency_metrics(const Recording& recording, const std::vector<LatencySummary>& summaries) {
  std::vector<MetricValue> metrics;
  const LatencySummary* unprofiled = nullptr;
  for (const IterationPhase phase : {IterationPhase::kPrefill, IterationPhase::kDecode, IterationPhase::kMeasure}) {
    if (const LatencySummary* latency_summary = find(summaries, phase)) {
      unprofiled = latency_summary;
    }
  }
  if (unprofiled == nullptr) {
    for (const char* id : {"latency_p50", "latency_mean", "latency_p90", "latency_p95", "latency_p99",
                           "latency_cv_within", "latency_cv_between", "throughput"}) {
      metrics.push_back(no_data(id, "no unprofiled iteration was recorded"));
    }
  } else {
    const LatencySummary& summary = *unprofiled;
    metrics.push_back(measured("latency_p50", summary.p50_ns.value, summary.p50_ns.interval));
    metrics.push_back(measured("latency_mean", *summary.mean_ns));
    metrics.push_back(tail_metric("latency_p90", summary.p90_ns, summary.p90_interval_ns, summary, kIterationsForP90));
    metrics.push_back(tail_metric("latency_p95", summary.p95_ns, summary.p95_interval_ns, summary, kIterationsForP95));
    metrics.push_back(tail_metric("latency_p99", summary.p99_ns, summary.p99_interval_ns, summary, kIterationsForP99));
    metrics.push_back(cv_metric("latency_cv_within", summary.within_process_cv, "needs two iterations in a process"));
    metrics.push_back(cv_metric("latency_cv_between", summary.between_process_cv, "needs two processes"));
    metrics.push_back(throughput_metric(recording));
  }
  metrics.push_back(process_metric("load_time", recording, &ProcessFacts::load_ms, 1e6));
  metrics.push_back(process_metric("first_run_time", recording, &ProcessFacts::first_run_ms, 1e6));
  metrics.push_back(process_metric("harness_time", recording, &ProcessFacts::harness_ns, 1));
  metrics.push_back(profiling_tax(unprofiled, find(summaries, IterationPhase::kProfile)));
  return metrics;
}

}  // namespace aaco
