// SPDX-License-Identifier: MIT
// The critical paths of a trace for those who need nothing else of its summary.
#pragma once

#include <vector>

#include "analysis/timeline/critical_path/path_segments.h"
#include "record/events/event_table.h"

namespace aaco {

// Those of summarise_trace(), in a part of its time. What they need of memory is within expect_analysis_memory().
std::vector<CriticalPath> critical_paths_of(const EventTable& events, const PathListener& listener = {});

}  // namespace aaco
