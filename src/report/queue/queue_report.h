// SPDX-License-Identifier: MIT
// The reports of what `aaco queue` recorded: a run, a sweep over streams, the probes of a device's queues.
#pragma once

#include "base/json_fwd.h"
#include "base/result.h"
#include "report/report_model.h"
#include "session/session.h"
#include "trace/event_table.h"

namespace aaco::report {

// Of a session. One that ended before it had figures is a report that says so. Errors: kUsage for a damaged file.
Result<Report> queue_run_report(const OpenSession& session);
Result<Report> queue_sweep_report(const OpenSession& session);
Result<Report> queue_probe_report(const OpenSession& session);

// The same from the documents, metrics/queue.json and metrics/queue_probe.json. `events`: what the profiled process
// recorded, null where there was none.
Result<Report> build_queue_run_report(const OpenSession& session, const Json& document, const EventTable* events);
Result<Report> build_queue_sweep_report(const OpenSession& session, const Json& document);
Result<Report> build_queue_probe_report(const OpenSession& session, const Json& document);

}  // namespace aaco::report
