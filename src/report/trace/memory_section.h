// SPDX-License-Identifier: MIT
// Memory of the devices, and what was done to it on them.
#pragma once

#include <string>

#include "analysis/timeline/trace_summary.h"
#include "base/json_fwd.h"
#include "trace/event_table.h"

namespace aaco::report {

Json memory_operations_json(const MemoryOperations& operations);
Json memory_json(const TraceSummary& summary);

std::string memory_operations_text(const MemoryOperations& operations);
std::string memory_text(const EventTable& events, const TraceSummary& summary);  // nothing without marks of memory

}  // namespace aaco::report
