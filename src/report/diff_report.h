// SPDX-License-Identifier: MIT
// Two sessions side by side: did it change, by how much, what made up the change, what else differs.
#pragma once

#include <string>

#include "analysis/model_run/results.h"
#include "base/json/json_fwd.h"
#include "base/result.h"
#include "report/report_model.h"
#include "session/session.h"

namespace aaco::report {

// One side of the comparison.
struct DiffSide {
  const OpenSession& session;
  const Analysis& analysis;
};

// `diff`: regress/diff.json, or regress/verdict.json (then without changes by node). Members that are missing are shown
// as "no data"; kUsage when it is neither.
Result<Report> build_diff_report(const DiffSide& baseline, const DiffSide& test, const Json& diff);

}  // namespace aaco::report

namespace aaco {

// The page of build_diff_report.
Result<std::string> render_diff_html(const OpenSession& baseline, const Analysis& baseline_analysis,
                                     const OpenSession& test, const Analysis& test_analysis, const Json& diff);

}  // namespace aaco
