// SPDX-License-Identifier: MIT
// The report of a run of a workload.
#pragma once

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "kind/queue_run/document/queue_run_document.h"
#include "record/events/event_table.h"
#include "report/report_model.h"
#include "session/session.h"

namespace aaco::report {

// Of a session. One that ended before it had figures is a report that says so. Errors: kUsage for a damaged file.
Result<Report> queue_run_report(const OpenSession& session);

// The same from the document, metrics/queue.json. `events`: what the profiled process
// recorded, null where there was none.
Result<Report> build_queue_run_report(const OpenSession& session, const Json& document, const EventTable* events);

// What `aaco queue run` prints: the document alone, without what only a session has.
Report build_queue_run_summary(const QueueRunDocument& document);

}  // namespace aaco::report
