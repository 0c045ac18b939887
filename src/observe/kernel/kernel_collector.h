// SPDX-License-Identifier: MIT
// The kernel plane: what the scheduler, page faults, interrupts and storage did with the threads of the measured
// processes.
#pragma once

#include "observe/telemetry/collector.h"

namespace aaco {

CollectorInfo kernel_collector();

}  // namespace aaco
