// SPDX-License-Identifier: MIT
// What Nsight Compute writes with --csv: the raw page (a row for each kernel, a column for each metric, a row of units
// under the header) and the details page or any other in the long form (a row for each metric of a kernel). Kernels
// have no times but gpu__time_duration; they are untimed, with the metrics as arguments named "metric [unit]", those of
// the long form "section: metric [unit]" (without the section where --metrics asked for them). Lines of ncu and of the
// program, which lie around the table, become metadata.
#pragma once

#include <string_view>

#include "base/result.h"
#include "ingest/trace_format.h"

namespace aaco {

bool is_ncu_csv(std::string_view head);
Result<void> read_ncu_csv(const TraceInput& input, EventTable& into);

}  // namespace aaco
