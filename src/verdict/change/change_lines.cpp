// SPDX-License-Identifier: MIT
#include "verdict/change/change_lines.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "analysis/model_run/latency.h"

namespace aaco {

namespace {

struct LineInfo {
  const char* id;
  const char* title;
  int64_t iterations;  // that each process needs
  double unmeasured_drift;
  std::optional<double> (*value)(const ProcessSample& process);
  // Standard error that the iterations give the logarithm of the value; null: not computed.
  double (*sampling_error)(const ProcessSample& process);
};

double mean_error(const ProcessSample& process) {
  return process.sigma_ns / std::sqrt(static_cast<double>(std::max<int64_t>(1, process.iterations))) / process.mean_ns;
}

constexpr LineInfo kLines[] = {
    {"mean_latency", "mean latency", 1, kUnmeasuredDrift,
     [](const ProcessSample& p) { return std::optional(p.mean_ns); }, mean_error},
    {"p90_latency", "p90 latency", kIterationsForP90, kUnmeasuredDriftP90,
     [](const ProcessSample& p) { return std::optional(p.quantiles_ns[180]); }, nullptr},
    {"p99_latency", "p99 latency", kIterationsForP99, kUnmeasuredDriftP99,
     [](const ProcessSample& p) { return std::optional(p.quantiles_ns[198]); }, nullptr},
    {"throughput", "throughput", 1, kUnmeasuredDrift, [](const ProcessSample& p) { return p.elapsed_ns; }, mean_error},
};

struct LineSide {
  std::vector<double> values;
  std::vector<double> errors;
};

// Nothing where a process lacks the figure.
LineSide side_of(std::span<const ProcessSample> processes, const LineInfo& info) {
  LineSide side;
  for (const ProcessSample& process : processes) {
    const std::optional<double> value = info.value(process);
    if (process.iterations < info.iterations || !value || !(*value > 0)) {
      return {};
    }
    side.values.push_back(*value);
    if (info.sampling_error != nullptr) {
      side.errors.push_back(info.sampling_error(process));
    }
  }
  return side;
}

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) {
    sum += std::log(value);
  }
  return std::exp(sum / static_cast<double>(values.size()));
}

// A line with the change that it rests on.
struct TestedLine {
  ChangeLine* line;
  LogChange change;
};

void judge(TestedLine& tested, double slower_level, double faster_level, const LineOptions& options) {
  ChangeLine& line = *tested.line;
  const LogChange& change = tested.change;
  const bool slower = change.d > 0;
  const bool may_claim = options.may_claim(*line.ratio);
  line.interval_confidence = 1 - 2 * (slower ? slower_level : faster_level);
  line.interval = change.interval(line.interval_confidence);
  line.confidence = std::min(slower ? change.confidence_slower() : change.confidence_faster(),
                             most_confidence(options.drift, change.drift));
  const Interval within = change.equivalence_interval(options.equivalence_confidence);
  if (may_claim && line.interval->low > 1 + options.min_effect) {
    line.verdict = Verdict::kRegressed;
  } else if (may_claim && line.interval->high < 1 - options.min_effect) {
    line.verdict = Verdict::kImproved;
  } else if (within.low > 1 - options.min_effect && within.high < 1 + options.min_effect) {
    line.verdict = Verdict::kEquivalent;
  }
  line.against_equivalence = change.p_beyond_without_drift() <= (1 - kEquivalenceConfidence) / 2;
}

}  // namespace

std::string change_text(double ratio) {
  return ratio >= 3 ? fmt::format("x{:.3g}", ratio) : fmt::format("{:+.3g} %", (ratio - 1) * 100);
}

std::vector<ChangeLine> change_lines(std::span<const ProcessSample> baseline, std::span<const ProcessSample> test,
                                     const LineOptions& options) {
  std::vector<ChangeLine> lines;
  if (baseline.empty() || test.empty()) {
    return lines;
  }
  lines.reserve(std::size(kLines));  // the tested ones are pointed at
  std::vector<TestedLine> tested;
  for (const LineInfo& info : kLines) {
    ChangeLine& line = lines.emplace_back();
    line.id = info.id;
    line.title = info.title;
    const LineSide a = side_of(baseline, info);
    const LineSide b = side_of(test, info);
    const auto change = log_change(
        {a.values, a.errors}, {b.values, b.errors}, options.drift.interleaved,
        drift_margin(options.drift, a.values, b.values, info.unmeasured_drift, options.exact), options.min_effect);
    if (!change) {
      line.unavailable = info.iterations > 1 ? fmt::format("needs {} iterations in each process", info.iterations)
                                             : std::string("not recorded");
      continue;
    }
    line.baseline_ns = geometric_mean(a.values);
    line.test_ns = geometric_mean(b.values);
    line.ratio = std::exp(change->d);
    tested.push_back({&line, *change});
  }
  std::vector<double> slower;
  std::vector<double> faster;
  for (const TestedLine& tested_line : tested) {
    slower.push_back(tested_line.change.p_slower());
    faster.push_back(tested_line.change.p_faster());
  }
  const std::vector<double> slower_levels = holm_levels(slower, tested.size(), options.level);
  const std::vector<double> faster_levels = holm_levels(faster, tested.size(), options.level);
  for (size_t i = 0; i < tested.size(); ++i) {
    judge(tested[i], slower_levels[i], faster_levels[i], options);
  }
  return lines;
}

}  // namespace aaco
