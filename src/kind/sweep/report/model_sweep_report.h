// SPDX-License-Identifier: MIT
// The report of a sweep over batch sizes: throughput, latency per sample, the gain of each doubling, saturation.
#pragma once

#include "base/result.h"
#include "kind/sweep/document/model_sweep_document.h"
#include "report/report_model.h"
#include "session/session.h"

namespace aaco::report {

// Of a session. One that ended before it had figures is a report that says so. Errors: kUsage for a damaged file.
Result<Report> model_sweep_report(const OpenSession& session);

// The same from the document.
Report build_model_sweep_report(const OpenSession& session, ModelSweepDocument sweep);

}  // namespace aaco::report
