// SPDX-License-Identifier: MIT
// The report of one session, and its files.
#pragma once

#include <filesystem>

#include "analysis/model_run/results.h"
#include "base/json/json_fwd.h"
#include "base/result.h"
#include "report/report_model.h"
#include "session/session.h"

namespace aaco::report {

// Works on incomplete sessions: what is missing is said. `verdict`: regress/verdict.json or null.
Report build_report(const OpenSession& session, const Analysis& analysis, const Json* verdict);

// The same of a session as it lies there, its verdict with it.
Result<Report> run_report(const OpenSession& session);

// regress/verdict.json of the bundle, or null JSON where there is none. kUsage for a damaged one.
Result<Json> read_verdict(const OpenSession& session);

// One file per plot that has data, <id>.svg in `folder`.
Result<void> write_plots(const Report& report, const std::filesystem::path& folder);

}  // namespace aaco::report

namespace aaco {

// report.html and plots/*.svg in `folder` (report/ of a bundle).
Result<void> write_report(const OpenSession& session, const Analysis& analysis, const std::filesystem::path& folder);
Result<void> write_report(const report::Report& built, const std::filesystem::path& folder);

}  // namespace aaco
