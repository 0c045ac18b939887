// SPDX-License-Identifier: MIT
// Readings of the device's clock from which its step follows (clock_step_ns): many short kernels of slightly different
// lengths. The step that it gives is the smallest that shows, at least the clock's own.
#pragma once

#include "device/device.h"
#include "kind/queue_probe/analysis/kernel_stamps.h"

namespace aaco {

Result<std::vector<KernelStamp>> probe_clock(Device& device);

}  // namespace aaco
