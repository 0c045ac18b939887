// SPDX-License-Identifier: MIT
// The report of the probes of a device's queues.
#pragma once

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "kind/queue_probe/queue_probe_document.h"
#include "report/report_model.h"
#include "session/session.h"

namespace aaco::report {

// Of a session. One that ended before it had figures is a report that says so. Errors: kUsage for a damaged file.
Result<Report> queue_probe_report(const OpenSession& session);

// The same from the document, metrics/queue_probe.json.
Result<Report> build_queue_probe_report(const OpenSession& session, const Json& document);

// What `aaco queue probe` prints: the document alone, without what only a session has.
Report build_queue_probe_summary(const QueueProbeDocument& document);

}  // namespace aaco::report
