// SPDX-License-Identifier: MIT
// The host: processors, memory, pressure, and the measured process with all its threads, from /proc and /sys.
#pragma once

#include "observe/telemetry/collector.h"

namespace aaco {

CollectorInfo host_collector();

}  // namespace aaco
