// SPDX-License-Identifier: MIT
#include "guard/judgement/clock_or_code.h"

#include <cmath>
#include <fmt/format.h>

#include "base/format.h"
#include "verdict/change/process_sample.h"

namespace aaco {

namespace {

void scale(double factor, ProcessSample& process) {
  process.mean_ns *= factor;
  process.sigma_ns *= factor;
  if (process.elapsed_ns) {
    *process.elapsed_ns *= factor;
  }
  for (double& quantile_ns : process.quantiles_ns) {
    quantile_ns *= factor;
  }
}

}  // namespace

std::optional<ClockEvidence> recorded_clock(const RunSample& baseline, const RunSample& test) {
  const bool on_gpu = baseline.device_kind == DeviceKind::kGpu || test.device_kind == DeviceKind::kGpu;
  if (on_gpu || baseline.cpu_frequency_mhz.value_or(0) <= 0 || test.cpu_frequency_mhz.value_or(0) <= 0) {
    return std::nullopt;
  }
  ClockEvidence evidence{baseline, test, *test.cpu_frequency_mhz / *baseline.cpu_frequency_mhz};
  for (double& median_ns : evidence.test.process_medians_ns) {
    median_ns *= evidence.clock_ratio;
  }
  for (ProcessSample& process : evidence.test.processes) {
    scale(evidence.clock_ratio, process);
  }
  return evidence;
}

void judge_clock(const std::optional<ClockEvidence>& evidence, const CompareOptions& options, JudgedSample& sample) {
  Comparison& comparison = sample.comparison;
  const Verdict verdict = comparison.verdict;
  if (verdict != Verdict::kRegressed && verdict != Verdict::kImproved) {
    return;
  }
  if (!evidence) {
    sample.clock_words = "clock unknown: no cycles of both sides, and no clock of both while all processors were busy";
    return;
  }
  const Comparison at_one_clock = compare(evidence->baseline, evidence->test, options);
  const std::string change = at_one_clock.ratio ? change_text(*at_one_clock.ratio) : "not known";
  if (at_one_clock.verdict == verdict) {
    sample.clock = ClockAnswer::kCode;
    sample.clock_words = fmt::format("the code and not the clock: {} at one clock", change);
    return;
  }
  sample.clock = ClockAnswer::kClock;
  sample.found_slower = verdict == Verdict::kRegressed;
  sample.clock_words = fmt::format(
      "{}, because the clock was {} {}: {} at one clock", verdict == Verdict::kRegressed ? "slower" : "faster",
      format_percent(std::abs(evidence->clock_ratio - 1)), evidence->clock_ratio < 1 ? "lower" : "higher", change);
  const bool same = at_one_clock.verdict == Verdict::kEquivalent;
  comparison.verdict = same ? Verdict::kInvalid : Verdict::kInconclusive;
  comparison.severity = Severity::kNone;
  comparison.remedy = "Compare at a fixed clock: check governor, power cap and temperature on both sides.";
  comparison.reason = same ? "at one clock both sides are equivalent"
                           : "whether clock or code is the cause is open: " + at_one_clock.reason;
}

}  // namespace aaco
