// SPDX-License-Identifier: MIT
// The analysis as the JSON files of a bundle: metrics/inference_summary.json, derived_metrics.json, bottleneck.json,
// offenders.json.
#pragma once

#include "analysis/model_run/results.h"

namespace aaco {

// The unprofiled latency in milliseconds under the usual names, throughput, then every phase in full.
Json inference_summary_json(const Analysis& analysis, const RunFacts& facts);
// Every metric with value, interval, unit and quality, keyed by id; warnings.
Json derived_metrics_json(const Analysis& analysis);
// bottleneck_class, confidence, top_evidence [{signal, value, weight, ...}], then coverage, lead, reason, scores and
// all signals.
Json bottleneck_json(const Analysis& analysis);
// The executive summary and the ranked offenders.
Json offenders_json(const Analysis& analysis);

}  // namespace aaco
