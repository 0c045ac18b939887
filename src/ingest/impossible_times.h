// SPDX-License-Identifier: MIT
// Times that a profiler cannot have measured: a start it left at 0, a length that overflowed, a start years from all
// else. Kept, they would be most of the window, of the idle or of the busy time.
#pragma once

#include "record/events/event_table.h"

namespace aaco {

// Takes slices that are proved to be such off the timeline (EventShape::kUntimed) and counts each as
// Loss::kImpossibleTime with its length. What is only unlikely stays: slices of one stream may overlap (graphs,
// programmatic dependent launch), and a trace may begin at 0 or hold a long pause.
void set_impossible_times_aside(EventTable& events);

}  // namespace aaco
