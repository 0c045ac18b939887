// SPDX-License-Identifier: MIT
// The whole comparison of two runs: verdict, terms, cause, and what differs in the lockboxes; and its files in the
// bundle.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "verdict/attribute.h"
#include "verdict/cause.h"
#include "verdict/compare.h"
#include "verdict/identity/environment_diff.h"
#include "verdict/run_sample.h"

namespace aaco {

struct Diff {
  RunSample baseline;
  RunSample test;
  Comparison comparison;
  std::optional<Attribution> attribution;  // none when the comparison is invalid
  Cause cause;
  std::vector<LockboxDifference> lockbox_differences;
};

// Pure.
Diff diff_runs(RunSample baseline, RunSample test, const CompareOptions& options = {});

// regress/verdict.json. First the fields that a reader of a verdict expects (regression, severity, confidence,
// latency_delta_pct, suspected_cause, evidence, recommendation), then what they rest on. A fact that is not known is
// null or, in `evidence`, the text "no data".
Json verdict_json(const Diff& diff);

// regress/diff.json: the verdict, the terms of each node, both samples without their lockboxes.
Json diff_json(const Diff& diff);

// "+67%", "-35%"; one decimal below 10 %. "no data" where a side is unknown or the baseline is zero.
std::string percent_change(const std::optional<double>& baseline, const std::optional<double>& test);

// 0 equivalent and improved, 1 regressed, 4 inconclusive and invalid; `allow_inconclusive` makes inconclusive 0.
int exit_code_of(Verdict verdict, bool allow_inconclusive);

}  // namespace aaco
