// SPDX-License-Identifier: MIT
// What ran on a device, by name.
#pragma once

#include <cstddef>

#include "analysis/timeline/trace_summary.h"
#include "report/report_model.h"
#include "trace/event_table.h"

namespace aaco::report {

// Longest total first. A terminal lists `most`.
TableBlock kernel_table(const EventTable& events, const DeviceSummary& device, size_t most);

}  // namespace aaco::report
