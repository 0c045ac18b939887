// SPDX-License-Identifier: MIT
#pragma once

#include "observe/telemetry/collector.h"

namespace aaco {

CollectorInfo nvml_collector();

}  // namespace aaco
