// SPDX-License-Identifier: MIT
// The experiment of kind/queue_probe/analysis/priority_effect.h on a device. Behind a gate several streams of the
// lowest priority hold device-filling kernels; the first kernel of the first is the marker, and a kernel of the same
// kind on a stream of the lowest or the highest priority waits for it. Rounds of low, high, high, low; one before is
// not kept.
#pragma once

#include "device/device.h"
#include "kind/queue_probe/analysis/priority_effect.h"

namespace aaco {

struct PriorityProbe {
  int32_t background_streams = 4;
  int32_t background_kernels = 4;  // on each
  int64_t spin_ns = 50'000;
  int32_t rounds = 5;
  int64_t gate_timeout_ns = 5'000'000'000;
};

// No repeats where the device has no priorities. Errors: kUsage for no background; the device's.
Result<PriorityRun> probe_priority(Device& device, const PriorityProbe& probe);

}  // namespace aaco
