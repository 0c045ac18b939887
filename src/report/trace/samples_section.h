// SPDX-License-Identifier: MIT
// The section of a trace's report on samples of the program counter.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/timeline/trace_summary.h"
#include "base/json_fwd.h"
#include "trace/event_table.h"

namespace aaco::report {

Json samples_json(const EventTable& events, const TraceSummary& summary);
// `most`: kernels, and of each instructions and source lines. Empty without samples.
std::string samples_text(const EventTable& events, const TraceSummary& summary, size_t most);

}  // namespace aaco::report
