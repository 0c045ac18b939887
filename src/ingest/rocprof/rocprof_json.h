// SPDX-License-Identifier: MIT
// results.json of the first rocprof (roctracer's tblextr.py): Chrome's format with an empty object before the events,
// every number in quotes, and without categories. Which process an event lies in says what it is. Times are those of
// the arguments BeginNs and EndNs: ts and dur are cut to whole microseconds.
#pragma once

#include <string_view>

#include "base/result.h"
#include "ingest/trace_format.h"

namespace aaco {

bool is_rocprof_json(std::string_view head);
Result<void> read_rocprof_json(const TraceInput& input, EventTable& into);

}  // namespace aaco
