// SPDX-License-Identifier: MIT
#include "kind/sweep/sharded_sweep.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "base/json/json.h"

namespace aaco {

namespace {

RunSample sample_of(const ShardedSweepPoint& point) {
  RunSample sample;
  sample.status = SessionStatus::kComplete;
  sample.phase = "measure";
  sample.process_medians_ns = point.step_ns;
  sample.stationary_processes = static_cast<int64_t>(point.step_ns.size());
  sample.iterations = static_cast<int64_t>(point.step_ns.size());
  sample.interleave_group = "sweep";
  return sample;
}

std::string words_of(const Comparison& comparison) {
  switch (comparison.verdict) {
    case Verdict::kImproved:
      return "faster";
    case Verdict::kRegressed:
      return "slower";
    case Verdict::kEquivalent:
      return fmt::format("changed nothing (within {:g} %)", comparison.min_effect * 100);
    case Verdict::kInconclusive:
      return "not shown to change anything: " + comparison.reason;
    case Verdict::kInvalid:
      break;
  }
  return "cannot be compared: " + comparison.reason;
}

Json interval_json(const std::optional<Interval>& interval) {
  return interval ? Json{interval->low, interval->high} : Json();
}

Json point_json(const JudgedSweepPoint& judged) {
  Json json = {{"change", judged.point.change},   {"environment", judged.point.is_variable},
               {"failure", judged.point.failure}, {"sessions", judged.point.sessions},
               {"step_ns", judged.point.step_ns}, {"exposed_communication_ns", judged.point.exposed_ns},
               {"step_median_ns", nullptr},       {"step_interval_ns", nullptr}};
  if (judged.step_ns) {
    json["step_median_ns"] = judged.step_ns->value;
    json["step_interval_ns"] = interval_json(judged.step_ns->interval);
  }
  if (!judged.point.change.empty() && judged.point.failure.empty()) {
    json["verdict"] = verdict_name(judged.comparison.verdict);
    json["words"] = judged.words;
    json["ratio"] = judged.comparison.ratio;
    json["ratio_interval"] = interval_json(judged.comparison.interval);
  }
  return json;
}

Error damaged(std::string_view source, std::string_view what) {
  return damaged_sweep(source, ShardedSweep::kForm, what);
}

bool are_times(const std::vector<double>& times, bool above_zero) {
  return std::all_of(times.begin(), times.end(),
                     [&](double ns) { return std::isfinite(ns) && (above_zero ? ns > 0 : ns >= 0); });
}

ShardedSweepPoint read_point(const Json& json) {
  ShardedSweepPoint point;
  json.at("change").get_to(point.change);
  json.at("environment").get_to(point.is_variable);
  json.at("failure").get_to(point.failure);
  json.at("sessions").get_to(point.sessions);
  json.at("step_ns").get_to(point.step_ns);
  json.at("exposed_communication_ns").get_to(point.exposed_ns);
  return point;
}

}  // namespace

ShardedSweep judge_sweep(std::vector<ShardedSweepPoint> points, int64_t rounds) {
  ShardedSweep sweep;
  sweep.rounds = rounds;
  CompareOptions options;
  options.level = kVerdictLevel / static_cast<double>(std::max<size_t>(1, points.size() - 1));
  const RunSample base = sample_of(points.front());
  double best = 1;
  for (ShardedSweepPoint& point : points) {
    JudgedSweepPoint judged;
    judged.step_ns = estimate_over_processes(point.step_ns);
    judged.exposed_ns = median(point.exposed_ns);
    if (!point.change.empty() && point.failure.empty()) {
      judged.comparison = compare(base, sample_of(point), options);
      judged.words = words_of(judged.comparison);
      if (judged.comparison.verdict == Verdict::kImproved && judged.comparison.ratio.value_or(1) < best) {
        best = *judged.comparison.ratio;
        sweep.best = point.change;
      }
    }
    judged.point = std::move(point);
    sweep.points.push_back(std::move(judged));
  }
  return sweep;
}

void to_json(Json& json, const ShardedSweep& sweep) {
  json = sweep_json(ShardedSweep::kForm, sweep);
  json["config"] = sweep.config;
  json["overrides"] = sweep.overrides;
  json["devices"] = sweep.devices;
  json["rounds"] = sweep.rounds;
  json["best"] = sweep.best;
  json["points"] = Json::array();
  for (const JudgedSweepPoint& judged : sweep.points) {
    json["points"].push_back(point_json(judged));
  }
}

Result<ShardedSweep> read_sharded_sweep(const Json& json, std::string_view source) {
  SweepHead head;
  AACO_TRY(read_sweep_head(json, ShardedSweep::kForm, source, head));
  try {
    std::vector<ShardedSweepPoint> points;
    for (const Json& point : json.at("points")) {
      points.push_back(read_point(point));
      if (!are_times(points.back().step_ns, true) || !are_times(points.back().exposed_ns, false)) {
        return damaged(source, "a time that is none");
      }
    }
    if (points.empty() || !points.front().change.empty()) {
      return damaged(source, "without the configuration as it is");
    }
    ShardedSweep sweep = judge_sweep(std::move(points), json.at("rounds").get<int64_t>());
    static_cast<SweepHead&>(sweep) = std::move(head);
    json.at("config").get_to(sweep.config);
    json.at("overrides").get_to(sweep.overrides);
    json.at("devices").get_to(sweep.devices);
    return sweep;
  } catch (const Json::exception& exception) {
    return damaged(source, json_problem(exception));
  }
}

}  // namespace aaco
