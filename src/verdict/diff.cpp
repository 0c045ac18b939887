// SPDX-License-Identifier: MIT
#include "verdict/diff.h"

#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "base/json/json.h"
#include "base/statistics.h"
#include "verdict/throttling/throttled_sides.h"

namespace aaco {

namespace {

Json interval_json(const std::optional<Interval>& interval) {
  return interval ? Json::array({interval->low, interval->high}) : Json();
}

Json percent_json(const std::optional<double>& fraction) { return fraction ? Json(*fraction * 100) : Json(); }

Json terms_json(const Attribution& terms) {
  return {{"change_ns", terms.change_ns},
          {"count_ns", terms.count_ns},
          {"time_ns", terms.time_ns},
          {"gap_ns", terms.gap_ns},
          {"unexplained_ns", terms.unexplained_ns},
          {"clock_ns", terms.clock_ns},
          {"count_bound_ns", terms.count_ns ? Json(terms.count_bound_ns) : Json()},
          {"time_bound_ns", terms.time_ns ? Json(terms.time_bound_ns) : Json()},
          {"gap_bound_ns", terms.gap_ns ? Json(terms.gap_bound_ns) : Json()},
          {"baseline_geometric_mean_ns", terms.baseline_ns},
          {"test_geometric_mean_ns", terms.test_ns},
          {"profile_unavailable", terms.profile_unavailable},
          {"time_unavailable", terms.time_unavailable},
          {"gap_unavailable", terms.gap_unavailable},
          {"clock_unavailable", terms.clock_unavailable}};
}

Json evidence_json(const Attribution& terms) {
  return {{"kernel_launch_count_delta", percent_change(terms.launches_baseline, terms.launches_test)},
          {"avg_kernel_duration_delta", percent_change(terms.kernel_ns_baseline, terms.kernel_ns_test)},
          {"cpu_overhead_delta", percent_change(terms.exposed_ns_baseline, terms.exposed_ns_test)}};
}

Json node_json(const NodeChange& node) {
  return {{"name", node.name},
          {"op_type", node.op_type},
          {"matched_by", node.matched_by},
          {"limit", node.limit},
          {"executions_baseline", node.executions_baseline},
          {"executions_test", node.executions_test},
          {"time_baseline_ns", node.time_baseline_ns},
          {"time_test_ns", node.time_test_ns},
          {"count_ns", node.count_ns},
          {"time_ns", node.time_ns},
          {"count_bound_ns", node.count_bound_ns},
          {"time_bound_ns", node.time_bound_ns}};
}

Json differences_json(const std::vector<ConfigurationDifference>& differences) {
  Json list = Json::array();
  for (const ConfigurationDifference& difference : differences) {
    list.push_back({{"field", difference.field}, {"baseline", difference.baseline}, {"test", difference.test}});
  }
  return list;
}

Json lines_json(const Comparison& comparison) {
  Json list = Json::array();
  for (const ChangeLine& line : comparison.lines) {
    list.push_back({{"id", line.id},
                    {"title", line.title},
                    {"unavailable", line.unavailable},
                    {"baseline_ns", line.baseline_ns},
                    {"test_ns", line.test_ns},
                    {"ratio", line.ratio},
                    {"interval", interval_json(line.interval)},
                    {"interval_confidence", line.interval ? Json(line.interval_confidence) : Json()},
                    {"confidence", line.confidence},
                    {"verdict", line.unavailable.empty() ? Json(verdict_name(line.verdict)) : Json()}});
  }
  return list;
}

Json modes_json(const std::optional<TwoModes>& modes) {
  return modes ? Json{{"fast_ns", modes->fast_ns},
                      {"slow_ns", modes->slow_ns},
                      {"slow_share", modes->slow_share},
                      {"process_slow_shares", modes->process_shares}}
               : Json();
}

Json sample_json(const RunSample& sample) {
  Json json = sample;
  json.erase("processes");  // what they tell is in the verdict's lines
  json.erase("environment");
  json.erase("nodes");  // they are in the node table of the diff
  return json;
}

// What changed around the run is the first thing to rule out.
std::string with_lockbox(const std::string& recommendation, const std::vector<LockboxDifference>& differences) {
  std::string changed;
  for (const LockboxDifference& difference : differences) {
    if (difference.performance_relevant) {
      changed += (changed.empty() ? "" : ", ") + difference.key;
    }
  }
  return changed.empty() ? recommendation
                         : fmt::format("{} First rule out what else changed: {}.", recommendation, changed);
}

// With the flags of `aaco diff`, which a comparison does not know.
std::string recommendation_of(const Comparison& comparison) {
  if (comparison.remedy.empty()) {
    return "Measure both sides again in the same configuration, to their end.";
  }
  if (comparison.remedy == kCrowdedRemedy) {
    return "Interleave the two sides (--rerun): in a crowd the machine's speed changes between two sessions.";
  }
  if (comparison.remedy == kThrottlingRemedy) {
    return comparison.remedy + " --allow-different compares them all the same.";
  }
  const std::string without_point = comparison.remedy.substr(0, comparison.remedy.size() - 1);
  if (!comparison.machine_differences.empty()) {
    return without_point + "; or name --allow-different, to compare the machines.";
  }
  if (!comparison.configuration_differences.empty()) {
    return without_point + "; or name --allow-different, where the difference is what you want to try.";
  }
  return comparison.remedy;
}

}  // namespace

Diff diff_runs(RunSample baseline, RunSample test, const CompareOptions& options) {
  Diff diff{std::move(baseline), std::move(test), {}, {}, {}, {}};
  diff.comparison = compare(diff.baseline, diff.test, options);
  diff.lockbox_differences = compare_environments(diff.baseline.environment, diff.test.environment);
  if (diff.comparison.verdict == Verdict::kInvalid) {
    diff.cause = {BottleneckClass::kUndetermined, "nothing was compared: " + diff.comparison.reason, "invalid",
                  recommendation_of(diff.comparison)};
    return diff;
  }
  diff.attribution = attribute_change(diff.baseline, diff.test);
  diff.cause = suspect_cause(diff.comparison, *diff.attribution, diff.baseline, diff.test);
  const bool changed = diff.comparison.verdict == Verdict::kRegressed || diff.comparison.verdict == Verdict::kImproved;
  if (changed) {
    diff.cause.recommendation = with_lockbox(diff.cause.recommendation, diff.lockbox_differences);
  }
  return diff;
}

Json verdict_json(const Diff& diff) {
  const Comparison& comparison = diff.comparison;
  const Attribution none;
  Json json{{"regression", comparison.verdict == Verdict::kRegressed},
            {"severity", severity_name(comparison.severity)},
            {"confidence", comparison.confidence},
            {"latency_delta_pct", comparison.ratio ? Json((*comparison.ratio - 1) * 100) : Json()},
            {"suspected_cause", diff.cause.suspected_cause},
            {"evidence", evidence_json(diff.attribution.value_or(none))},
            {"recommendation", diff.cause.recommendation},
            {"verdict", verdict_name(comparison.verdict)},
            {"reason", comparison.reason},
            {"cause_reason", diff.cause.reason},
            {"cause_rule", diff.cause.rule},
            {"basis", comparison.basis},
            {"ratio", comparison.ratio},
            {"interval", interval_json(comparison.interval)},
            {"interval_confidence", comparison.interval_confidence},
            {"equivalence_interval", interval_json(comparison.equivalence_interval)},
            {"equivalence_interval_confidence", comparison.equivalence_confidence},
            {"min_effect_pct", comparison.min_effect * 100},
            {"minimum_detectable_pct", percent_json(comparison.minimum_detectable)},
            {"processes_needed", comparison.processes_needed},
            {"method", comparison.interleaved ? "interleaved" : "sequential"},
            {"drift_pct", percent_json(comparison.drift)},
            {"drift", comparison.drift_source},
            {"processes", {{"baseline", comparison.baseline_processes}, {"test", comparison.test_processes}}},
            {"sessions", {{"baseline", diff.baseline.session_id}, {"test", diff.test.session_id}}},
            {"avg_kernel_duration_basis", diff.attribution ? Json(diff.attribution->kernel_basis) : Json()},
            {"largest_term", diff.attribution ? Json(diff.attribution->largest_term) : Json()},
            {"terms", diff.attribution ? terms_json(*diff.attribution) : Json()}};
  json["lines"] = lines_json(comparison);
  json["lines_unavailable"] = comparison.lines_unavailable;
  json["decided_by"] = comparison.decided_by;
  json["modes"] = {{"baseline", modes_json(comparison.baseline_modes)}, {"test", modes_json(comparison.test_modes)}};
  json["lockbox_differences"] = diff.lockbox_differences;
  json["configuration_differences"] = differences_json(comparison.configuration_differences);
  json["machine_differences"] = differences_json(comparison.machine_differences);
  json["not_recorded"] = comparison.not_recorded;
  json["warnings"] = comparison.warnings;
  return json;
}

Json diff_json(const Diff& diff) {
  Json nodes = Json::array();
  if (diff.attribution) {
    for (const NodeChange& node : diff.attribution->nodes) {
      nodes.push_back(node_json(node));
    }
  }
  return {{"verdict", verdict_json(diff)},
          {"baseline", sample_json(diff.baseline)},
          {"test", sample_json(diff.test)},
          {"nodes", std::move(nodes)}};
}

std::string percent_change(const std::optional<double>& baseline, const std::optional<double>& test) {
  if (!baseline || !test || !(*baseline > 0)) {
    return "no data";
  }
  const double percent = (*test / *baseline - 1) * 100;
  return std::abs(percent) < 9.95 ? fmt::format("{:+.1f}%", percent) : fmt::format("{:+.0f}%", percent);
}

int exit_code_of(Verdict verdict, bool allow_inconclusive) {
  switch (verdict) {
    case Verdict::kRegressed:
      return 1;
    case Verdict::kInvalid:
      return 4;
    case Verdict::kInconclusive:
      return allow_inconclusive ? 0 : 4;
    default:
      return 0;
  }
}

}  // namespace aaco
