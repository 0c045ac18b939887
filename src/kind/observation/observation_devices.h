// SPDX-License-Identifier: MIT
// What each device did while a program was observed, as facts and a table of the answer.
#pragma once

#include <string>

#include "analysis/timeline/trace_summary.h"
#include "kind/observation/observation_document.h"
#include "record/events/event_table.h"
#include "report/report_model.h"

namespace aaco::report {

// Of a recording with pauses each device's spans together.
void add_devices(const ObservationDocument& document, const EventTable& events, const TraceSummary& summary,
                 Section& section);

// Of such a recording: "recorded 3.2 s of 12.0 s in 8 spans: 96 whole steps (a period of 31 kernels), ..."
std::string budget_text(const ObservationDocument& document, const ProcessRecording& process);

}  // namespace aaco::report
