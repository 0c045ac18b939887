// SPDX-License-Identifier: MIT
// Did it become slower? The process is the unit of replication. The natural logarithm of the ratio of per-process
// medians, d, has an interval by Welch's t (two sessions recorded one after the other) or by paired t (interleaved
// processes).
//
//   regressed     the 98 % interval lies above 1 + min_effect (so a false alarm has a probability of 1 % at most)
//   improved      the 98 % interval lies below 1 - min_effect
//   equivalent    the 90 % interval lies within (1 - min_effect, 1 + min_effect): two one-sided tests at 5 %
//   inconclusive  none of these, or fewer than three processes on a side
//   invalid       what was measured cannot be compared: see `reason`
//
// Mean, tails and throughput have lines of their own (change/change_lines.h). One that regressed makes the verdict
// regressed, and one that speaks against equivalence takes it away. The probability of a false alarm is then shared:
// the medians have four fifths of it, and an interval of 98.4 %, all lines together one fifth.
//
// Where latencies fall into two modes, means between the 1st and 99th percentile are compared, not medians
// (change/two_modes.h); where a process is far from the others of its side, ranks (change/odd_process.h); where pairs
// of interleaved processes lie far out, signed ranks beside Student's t (change/signed_ranks.h).
//
// Sequential comparisons in a crowd are invalid: where other programs hold much of the machine its speed changes for
// longer than a session lasts, and processes of one session differ less than the two sessions do.
//
// A sequential comparison cannot tell a change from the machine's drift between two sessions. The interval that decides
// regressed and improved is widened by the drift that A/A pairs on the machine showed, or, where none was measured, by
// change/drift_margin.h's. Equivalence is widened by what was measured, else by the spread between processes: that
// drift made two different things look alike is not excluded. Source of the four verdicts and of the number of
// processes: Kalibera & Jones (2013), Schuirmann (1987).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/statistics.h"
#include "verdict/change/change_lines.h"
#include "verdict/change/two_modes.h"
#include "verdict/change/verdict.h"
#include "verdict/run_sample.h"

namespace aaco {

inline constexpr size_t kMinProcesses = 3;  // on a side
// Of the machine's processors, busy with other programs. A choice: fourteen A/A pairs at a time on 16 processors lie
// above it (bench/results, aa-crowded-sequential-h100.json: 299 of 300 invalid), three at a time below (none of 110).
inline constexpr double kCrowdedShare = 0.25;

// So many processes on both sides together are called a change, where drift was not measured: two modes that each
// process falls into by chance part 3 and 3 of them in 3 % of pairs, 3 and 4 in 1.6 %. A change of kBeyondModes needs
// only kMinProcesses.
inline constexpr size_t kProcessesBeyondModes = 7;
inline constexpr double kBeyondModes = 1.5;
// Share of CompareOptions::level that the lines have together.
inline constexpr double kLineShare = 0.2;

// Severity of a shown regression by (ratio - 1): low below `medium`.
struct SeverityBounds {
  double medium = 0.10;
  double high = 0.20;
  double critical = 0.50;
};

struct CompareOptions {
  double min_effect = 0.02;      // the smallest change that matters, a fraction in (0, 1)
  std::optional<double> drift;   // 95 % quantile of |ratio - 1| over A/A pairs of sessions
  std::string drift_source;      // where `drift` comes from
  bool allow_different = false;  // compare different work, and runs on different machines
  SeverityBounds severity;
  double level = kVerdictLevel;                            // lower where a comparison is one of many
  double equivalence_confidence = kEquivalenceConfidence;  // higher where a comparison is looked at several times
};

struct Comparison {
  Verdict verdict = Verdict::kInvalid;
  std::string reason;  // one sentence
  std::string remedy;  // what to do about it, where the verdict knows; else ""
  std::string basis;   // what ratio and interval compare: "medians", "means of two modes", "medians, by ranks"
  bool interleaved = false;
  size_t baseline_processes = 0;
  size_t test_processes = 0;
  std::optional<double> ratio;                      // of `basis`, over processes, test over baseline
  std::optional<Interval> interval;                 // of the ratio, at interval_confidence, widened by drift
  std::optional<Interval> equivalence_interval;     // at equivalence_confidence, widened by drift
  double interval_confidence = kVerdictConfidence;  // 1 - 2 CompareOptions::level
  double equivalence_confidence = kEquivalenceConfidence;
  // Of the one-sided test that the change, in its direction, exceeds min_effect and drift: at most
  // CompareOptions::level where it is called regressed or improved.
  std::optional<double> change_p;
  double degrees = 0;  // of freedom of the interval; 0 where there is none
  double min_effect = 0;
  std::optional<double> drift;  // by which the intervals are widened, a fraction; none when interleaved
  std::string drift_source;     // "measured: ...", or "not measured (run ...): ..."
  Severity severity = Severity::kNone;
  // Regressed, improved, equivalent: 1 - p of the one-sided test of that verdict (Student's t). Inconclusive: 1 - p of
  // the test that the change, in its direction, exceeds min_effect. None when there is no interval.
  std::optional<double> confidence;
  // The change that this spread and number of processes shows with 95 % power, a fraction.
  std::optional<double> minimum_detectable;
  // A side, when inconclusive: the fewest n with t(n) se(n) small enough, where se falls with sqrt(n) and the degrees
  // of freedom grow with n - 1.
  std::optional<int64_t> processes_needed;
  std::vector<ChangeLine> lines;
  std::string lines_unavailable;        // why there are none
  std::vector<std::string> decided_by;  // titles of the lines that decided, where it was not `basis`
  std::optional<TwoModes> baseline_modes;
  std::optional<TwoModes> test_modes;
  std::vector<ConfigurationDifference> configuration_differences;  // other work
  std::vector<ConfigurationDifference> machine_differences;        // identity/machine_difference.h
  // What a side does not tell, so that it is not known whether it agrees; one sentence a side.
  std::vector<std::string> not_recorded;
  std::vector<std::string> warnings;
};

// Pure.
Comparison compare(const RunSample& baseline, const RunSample& test, const CompareOptions& options = {});

// Why a run cannot be compared with anything; empty when it can. `side` names it in the sentence: "baseline", "test".
std::string why_not_comparable(const RunSample& sample, const std::string& side);

// What two runs must have in common to have done the same work, and have not. What tells less is left out where both
// sides tell more: the model's name where both know its hash, dimensions where both know the inputs' shapes, a
// backend's name where both know its options. No thread across operators is one thread.
std::vector<ConfigurationDifference> configuration_differences(const SampleConfiguration& baseline,
                                                               const SampleConfiguration& test);

}  // namespace aaco
