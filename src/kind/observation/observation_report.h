// SPDX-License-Identifier: MIT
// The report of an observed program, and what the command prints at its end.
#pragma once

#include <vector>

#include "analysis/timeline/trace_summary.h"
#include "base/result.h"
#include "kind/observation/observation_document.h"
#include "record/events/event_table.h"
#include "report/report_model.h"
#include "session/session.h"

namespace aaco::report {

Result<Report> observation_report(const OpenSession& session);
Result<Report> exact_observation_report(const OpenSession& session);

// The answer first: how busy each device was, its longest kernels, why it was idle most; then what was observed and
// what is missing. Of a command that used no device, what was seen of it.
Section observation_answer(const ObservationDocument& document, const EventTable& events, const TraceSummary& summary);

}  // namespace aaco::report
