// SPDX-License-Identifier: MIT
// The report of a sweep of a sharded training: of its session, and of its document alone as a terminal shows it.
#pragma once

#include <string>

#include "base/result.h"
#include "report/report_model.h"
#include "session/session.h"
#include "verdict/overlap_sweep.h"

namespace aaco::report {

// Of a session. One that ended before it had figures is a report that says so. Errors: kUsage for a damaged file.
Result<Report> overlap_sweep_report(const OpenSession& session);

// What `aaco overlap sweep` prints.
std::string overlap_sweep_text(const OverlapSweep& sweep);

}  // namespace aaco::report
