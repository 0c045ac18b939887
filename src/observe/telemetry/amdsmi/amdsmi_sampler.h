// SPDX-License-Identifier: MIT
#pragma once

#include "observe/telemetry/collector.h"

namespace aaco {

// For where the driver's files in /sys cannot be read, and ROCm is installed.
CollectorInfo amdsmi_collector();

}  // namespace aaco
