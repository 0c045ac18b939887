// SPDX-License-Identifier: MIT
// A trace for a viewer with all that its session recorded beside it.
#pragma once

#include "base/result.h"
#include "kind/trace/trace_source.h"

namespace aaco::imports {

// As load_trace(), and of a session its other planes too (export/planes): one without a trace, a run of a model, gives
// those alone. Errors: as load_trace(), also for a session that recorded none of both; as open_session() where there is
// no trace and the rest cannot be read.
Result<LoadedTrace> load_trace_with_planes(const TraceRequest& request);

}  // namespace aaco::imports
