// SPDX-License-Identifier: MIT
#include "analysis/model_run/results.h"

#include "base/json/json.h"

namespace aaco {

const LatencySummary* Analysis::latency(IterationPhase phase) const {
  for (const LatencySummary& candidate : latencies) {
    if (candidate.phase == phase) {
      return &candidate;
    }
  }
  return nullptr;
}

const LatencySummary* Analysis::primary_latency() const {
  for (const IterationPhase phase : {IterationPhase::kMeasure, IterationPhase::kDecode, IterationPhase::kPrefill}) {
    if (const LatencySummary* candidate = latency(phase)) {
      return candidate;
    }
  }
  return nullptr;
}

const MetricValue* Analysis::metric(std::string_view id) const {
  for (const MetricValue& value : metrics) {
    if (value.id == id) {
      return &value;
    }
  }
  return nullptr;
}

AACO_JSON_FIELDS(LatencySummary, phase, processes, iterations, process_medians_ns, p50_ns, mean_ns, min_ns, max_ns,
                 p90_ns, p95_ns, p99_ns, p90_interval_ns, p95_interval_ns, p99_interval_ns, within_process_cv,
                 between_process_cv, stationary)
AACO_JSON_FIELDS(Signal, name, bottleneck_class, value, threshold, none_at, full_at, weight, strength, unit, meaning,
                 no_data_reason)
AACO_JSON_FIELDS(ClassScore, bottleneck_class, score, coverage)
AACO_JSON_FIELDS(Bottleneck, bottleneck_class, confidence, coverage, lead, leading_class, reason, scores, signals)
AACO_JSON_FIELDS(LearnedEvidence, metric, value, contribution)
AACO_JSON_FIELDS(LearnedLimit, name, leading, share, answers, right, reason, evidence)
AACO_JSON_FIELDS(Offender, subject, kind, time_ns, time_interval_ns, share, stake_ns, stake_interval_ns, stake_basis,
                 evidence, bound, recommendation, rule)

}  // namespace aaco
