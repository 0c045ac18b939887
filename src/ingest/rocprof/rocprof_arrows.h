// SPDX-License-Identifier: MIT
// The arrows of the first rocprof's results.json, which say what call started what work on the device, as correlation
// ids. Format: ROCm/rocprofiler, bin/tblextr.py and bin/dform.py.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/events/event_table.h"

namespace aaco {

// Of the rows from `first` on. Arrows have times in whole microseconds, of a clock that may begin with the recording:
// `behind_ns` is added to them (no more than what any slice's exact time is later than its rounded one). The call is
// the innermost slice around an arrow's start, on its thread, or around all of the work, where that began before the
// arrow could; the work is the slice that begins at the arrow's end. Where no call is around, there is no link.
void link_by_arrows(EventTable& table, size_t first, int64_t behind_ns);

}  // namespace aaco
