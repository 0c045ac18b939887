// SPDX-License-Identifier: MIT
#include "experiment/overlap_sweep/sweep_judgement.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/format.h"
#include "base/json.h"

namespace aaco {

namespace {

RunSample sample_of(const OverlapSweepPoint& point) {
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
  Json json = {{"change", judged.point.change},
               {"environment", judged.point.is_variable},
               {"failure", judged.point.failure},
               {"step_ns", judged.point.step_ns},
               {"exposed_communication_ns", judged.point.exposed_ns},
               {"step_median_ns", nullptr},
               {"step_interval_ns", nullptr}};
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

}  // namespace

OverlapSweep judge_sweep(std::vector<OverlapSweepPoint> points, int64_t rounds) {
  OverlapSweep sweep;
  sweep.rounds = rounds;
  CompareOptions options;
  options.level = kVerdictLevel / static_cast<double>(std::max<size_t>(1, points.size() - 1));
  const RunSample base = sample_of(points.front());
  double best = 1;
  for (OverlapSweepPoint& point : points) {
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

Json sweep_json(const OverlapSweep& sweep) {
  Json points = Json::array();
  for (const JudgedSweepPoint& judged : sweep.points) {
    points.push_back(point_json(judged));
  }
  return {{"kind", "overlap_sweep"},
          {"devices", sweep.devices},
          {"rounds", sweep.rounds},
          {"best", sweep.best},
          {"points", std::move(points)}};
}

std::string sweep_text(const OverlapSweep& sweep) {
  std::vector<std::vector<std::string>> rows = {{"change", "step", "exposed", "over as it is", "what it did"}};
  for (const JudgedSweepPoint& judged : sweep.points) {
    const bool is_base = judged.point.change.empty();
    std::string ratio;
    if (judged.comparison.ratio) {
      ratio = fmt::format("{:.4f}", *judged.comparison.ratio);
      if (judged.comparison.interval) {
        ratio += fmt::format(" [{:.4f}, {:.4f}]", judged.comparison.interval->low, judged.comparison.interval->high);
      }
    }
    rows.push_back({is_base ? "as it is" : judged.point.change,
                    judged.step_ns ? format_estimate_ns(*judged.step_ns) : "no data",
                    judged.exposed_ns ? format_duration_ns(*judged.exposed_ns) : "no data", ratio,
                    judged.point.failure.empty() ? judged.words : judged.point.failure});
  }
  return format_table(rows) + (sweep.best.empty()
                                   ? "\nbest    none is shown to be faster than the configuration as it is\n"
                                   : fmt::format("\nbest    {}\n", sweep.best));
}

}  // namespace aaco
