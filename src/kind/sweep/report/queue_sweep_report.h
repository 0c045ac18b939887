// SPDX-License-Identifier: MIT
// The report of a sweep of a workload over numbers of streams.
#pragma once

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "kind/sweep/document/queue_sweep_document.h"
#include "report/report_model.h"
#include "session/session.h"

namespace aaco::report {

// Of a session. One that ended before it had figures is a report that says so. Errors: kUsage for a damaged file.
Result<Report> queue_sweep_report(const OpenSession& session);

// The same from the document, metrics/queue.json.
Result<Report> build_queue_sweep_report(const OpenSession& session, const Json& document);

// What `aaco queue sweep` prints: the document alone, without what only a session has.
Report build_queue_sweep_summary(const QueueSweepDocument& document);

}  // namespace aaco::report
