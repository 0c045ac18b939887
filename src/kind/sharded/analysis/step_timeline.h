// SPDX-License-Identifier: MIT
// One recorded step as a page shows it: what each stream of each rank did, on one axis.
#pragma once

#include <vector>

#include "kind/sharded/analysis/sharded_document.h"
#include "record/events/event_table.h"

namespace aaco {

// Step `step` of `steps`, by rank, stream and start; times count from its first start on any rank. Errors: as
// overlap_figures().
Result<std::vector<TimelineSlice>> step_timeline(const EventTable& events, int64_t steps, int64_t step);

}  // namespace aaco
