// SPDX-License-Identifier: MIT
#pragma once

#include "observe/telemetry/collector.h"

namespace aaco {

CollectorInfo amdgpu_collector();

}  // namespace aaco
