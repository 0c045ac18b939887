// SPDX-License-Identifier: MIT
// The controlled experiment of kind/queue_probe/analysis/switch_cost.h on a device: its raw times, judged there.
//
// Each round is a palindrome (one stream, independent, hand-off, hand-off, independent, one stream), so that a drift
// cancels; one round before is not kept. In every repeat all streams wait for the gate and are joined at the end, used
// or not, so that the host does the same.
#pragma once

#include "device/device.h"
#include "kind/queue_probe/analysis/switch_cost.h"

namespace aaco {

struct SwitchProbe {
  int32_t streams = 8;
  int32_t kernels = 100;  // N; all are enqueued before the first begins, so that the device's queues must hold them
  int64_t spin_ns = 50'000;
  int32_t rounds = 5;
  int64_t gate_timeout_ns = 5'000'000'000;
};

// Errors: kUsage for fewer than two streams or kernels; the device's.
Result<SwitchRun> probe_switches(Device& device, const SwitchProbe& probe);

}  // namespace aaco
