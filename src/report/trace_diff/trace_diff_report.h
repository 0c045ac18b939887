// SPDX-License-Identifier: MIT
// What `aaco trace diff` says, for machines and for people. Times are integers in nanoseconds.
#pragma once

#include <cstddef>

#include "analysis/timeline/trace_diff/trace_diff.h"
#include "base/json/json_fwd.h"
#include "record/events/trace_origin.h"
#include "record/table.h"
#include "report/report_model.h"

namespace aaco::report {

Json trace_diff_json(const TraceDiff& diff, const TraceOrigin& before, const TraceOrigin& after);

// For every sink: the `most` largest changes of kernels and of operators; the row of the others makes each list add up.
Report build_trace_diff_report(const TraceDiff& diff, const TraceOrigin& before, const TraceOrigin& after, size_t most);

// All rows of both lists, told apart by the column "of".
Table trace_diff_table(const TraceDiff& diff);

}  // namespace aaco::report
