// SPDX-License-Identifier: MIT
// The activity records of a device out of the event table in which a session keeps them.
#pragma once

#include "analysis/queue/timeline/kernel_readiness.h"
#include "trace/event_table.h"

namespace aaco {

// Kernels, copies and sets of devices' streams, and the calls that share their correlation. Slices only. Of waits for
// events the table knows nothing: figures that need them (readiness, switches, gaps) cannot be made of the result.
ActivityRun activity_of(const EventTable& events);

}  // namespace aaco
