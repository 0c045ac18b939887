// SPDX-License-Identifier: MIT
// Operators against the roofs, products of matrices, and what cannot be right among those figures.
#pragma once

#include <string>

#include "analysis/timeline/trace_summary.h"
#include "base/json_fwd.h"
#include "trace/event_table.h"

namespace aaco::report {

Json rooflines_json(const EventTable& events, const TraceSummary& summary);
Json backward_ratios_json(const TraceSummary& summary);
Json suspects_json(const TraceSummary& summary);
// Of each rank the `most` operators and products that took longest; then what is suspect.
std::string rooflines_text(const EventTable& events, const TraceSummary& summary, size_t most);

}  // namespace aaco::report
