// SPDX-License-Identifier: MIT
// What a comparison of medians does not see has lines of its own: mean latency, 90th and 99th percentile, throughput.
// Each is judged as the medians are, over the processes' own values.
//
// Of all lines together one or more is called regressed wrongly with a probability of `level` at most, and improved
// likewise (Holm's procedure, each direction by itself).
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verdict/change/drift_margin.h"
#include "verdict/change/process_sample.h"
#include "verdict/change/verdict.h"

namespace aaco {

// One figure of both sides beside the medians, judged by itself.
struct ChangeLine {
  std::string id;           // "mean_latency", "p90_latency", "p99_latency", "throughput"
  std::string title;        // "mean latency"
  std::string unavailable;  // why nothing below is known
  // Geometric means over processes; of throughput the elapsed time per inference.
  std::optional<double> baseline_ns;
  std::optional<double> test_ns;
  std::optional<double> ratio;       // of these: above 1 the test is slower, in throughput too
  std::optional<Interval> interval;  // at interval_confidence, widened by drift
  double interval_confidence = 0;
  std::optional<double> confidence;  // as Comparison::confidence has it of a change
  Verdict verdict = Verdict::kInconclusive;
  bool against_equivalence = false;  // changed beyond min_effect, at 95 %, if there was no drift
};

struct LineOptions {
  double min_effect = 0;
  double level = 0;
  double equivalence_confidence = kEquivalenceConfidence;
  DriftSource drift;
  bool exact = false;  // no iteration of a side differs from another
  // Whether a change of this ratio may be called one, however sure it looks.
  std::function<bool(double)> may_claim;
};

// "+14.3 %"; "x20" from three times on.
std::string change_text(double ratio);

// Of processes in the order of pairs. Empty where a side has none.
std::vector<ChangeLine> change_lines(std::span<const ProcessSample> baseline, std::span<const ProcessSample> test,
                                     const LineOptions& options);

}  // namespace aaco
