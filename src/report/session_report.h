// SPDX-License-Identifier: MIT
// The report of any session: what its kind says it is. To add one for a kind: a builder, and its line in
// all_session_reports.cpp.
#pragma once

#include <span>

#include "base/result.h"
#include "report/report_model.h"
#include "session/session.h"

namespace aaco::report {

struct SessionReport {
  const SessionKindTraits* kind;
  Result<Report> (*build)(const OpenSession& session);
};

// A line for each of session_kinds().
std::span<const SessionReport> session_reports();

// Errors: kUsage for a kind that this version does not know, one that another command shows, or a damaged file.
Result<Report> build_session_report(const OpenSession& session);

}  // namespace aaco::report
