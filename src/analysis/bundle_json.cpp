// SPDX-License-Identifier: MIT
#include "analysis/bundle_json.h"

#include "analysis/model_run/conclusions/bottleneck.h"
#include "base/json/json.h"

namespace aaco {

namespace {

Json in_ms(const std::optional<double>& ns) { return ns ? Json(*ns / 1e6) : Json(nullptr); }

Json metric_value(const Analysis& analysis, const char* id) {
  const MetricValue* metric = analysis.metric(id);
  return metric != nullptr && metric->value ? Json(*metric->value) : Json(nullptr);
}

}  // namespace

Json inference_summary_json(const Analysis& analysis, const RunFacts& facts) {
  Json json;
  json["model"] = facts.model_name;
  json["backend"] = facts.backend;
  json["batch"] = facts.batch;
  if (const LatencySummary* latency = analysis.primary_latency()) {
    json["phase"] = latency->phase;
    json["processes"] = latency->processes;
    json["iterations"] = latency->iterations;
    json["p50_ms"] = latency->p50_ns.value / 1e6;
    json["p50_interval_ms"] = latency->p50_ns.interval ? Json{{"low", latency->p50_ns.interval->low / 1e6},
                                                              {"high", latency->p50_ns.interval->high / 1e6}}
                                                       : Json(nullptr);
    json["mean_ms"] = in_ms(latency->mean_ns);
    json["min_ms"] = in_ms(latency->min_ns);
    json["max_ms"] = in_ms(latency->max_ns);
    json["p90_ms"] = in_ms(latency->p90_ns);
    json["p95_ms"] = in_ms(latency->p95_ns);
    json["p99_ms"] = in_ms(latency->p99_ns);
    json["coefficient_of_variation"] = Json(latency->within_process_cv);
    json["throughput_samples_per_sec"] = metric_value(analysis, "throughput");
  }
  json["phases"] = Json::object();
  for (const LatencySummary& summary : analysis.latencies) {
    json["phases"][word_of(summary.phase)] = summary;
  }
  return json;
}

Json derived_metrics_json(const Analysis& analysis) {
  Json json;
  json["metrics"] = Json::object();
  for (const MetricValue& metric : analysis.metrics) {
    Json entry;
    entry["value"] = metric.value;
    entry["interval"] = metric.interval;
    entry["unit"] = find_metric(metric.id)->unit;
    entry["quality"] = metric.quality;
    json["metrics"][metric.id] = std::move(entry);
  }
  json["node_time_kind"] = analysis.node_time_kind;
  json["warnings"] = analysis.warnings;
  return json;
}

Json bottleneck_json(const Analysis& analysis) {
  const Bottleneck& bottleneck = analysis.bottleneck;
  Json json;
  json["bottleneck_class"] = bottleneck.bottleneck_class;
  json["confidence"] = bottleneck.confidence;
  json["top_evidence"] = Json::array();
  for (const Signal* signal : top_evidence(bottleneck)) {
    json["top_evidence"].push_back({{"signal", signal->name},
                                    {"value", *signal->value},
                                    {"weight", signal->weight},
                                    {"threshold", signal->threshold},
                                    {"strength", signal->strength},
                                    {"unit", signal->unit},
                                    {"meaning", signal->meaning}});
  }
  json["coverage"] = bottleneck.coverage;
  json["lead"] = bottleneck.lead;
  json["leading_class"] = bottleneck.leading_class;
  json["reason"] = bottleneck.reason;
  json["scores"] = bottleneck.scores;
  json["signals"] = bottleneck.signals;
  json["learned"] = analysis.learned;
  if (analysis.learned.leading.empty()) {  // nothing was looked at
    for (const char* const unknown : {"share", "answers", "right"}) {
      json["learned"][unknown] = nullptr;
    }
  }
  return json;
}

Json offenders_json(const Analysis& analysis) {
  Json json;
  json["summary"] = analysis.summary;
  json["offenders"] = analysis.offenders;
  return json;
}

}  // namespace aaco
