// SPDX-License-Identifier: MIT
// The processes that NVML lists on a device: compute, graphics, and clients of MPS.
#pragma once

#include <string>
#include <vector>

#include "observe/telemetry/nvml/nvml_library.h"
#include "observe/telemetry/plane.h"
#include "record/gpu_process.h"

namespace aaco::nvml {

// Rows without time and device. A list that cannot be had is missing, and `account` has the reason. Names are those of
// /proc below `root`. None at all: no list could be had.
std::optional<std::vector<GpuProcessRow>> processes_on(const Library& library, Device device, const std::string& root,
                                                       PlaneAccount<GpuProcessRow>& account);

}  // namespace aaco::nvml
