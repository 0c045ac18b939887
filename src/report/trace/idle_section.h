// SPDX-License-Identifier: MIT
// Why a device was idle, and how far the host was ahead of it.
#pragma once

#include <string>

#include "analysis/timeline/trace_summary.h"
#include "base/json_fwd.h"
#include "report/report_model.h"
#include "trace/event_table.h"

namespace aaco::report {

Json idle_causes_json(const IdleCauses& idle);
Json launches_json(const LaunchQueue& queue);

// What held the device, longest first. A terminal lists `most`.
TableBlock idle_holder_table(const EventTable& events, const DeviceSummary& device, size_t most);

// Causes, and the `most` names that held the device longest; nothing of a device that was never idle.
std::string idle_text(const EventTable& events, const DeviceSummary& device, size_t most);
std::string launches_text(const LaunchQueue& queue, const Span& window);

}  // namespace aaco::report
