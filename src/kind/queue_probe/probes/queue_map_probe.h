// SPDX-License-Identifier: MIT
// The blocking probe of kind/queue_probe/analysis/queue_map.h on a device: for every ordered pair of streams, each with
// itself as the control among them.
#pragma once

#include "device/device.h"
#include "kind/queue_probe/analysis/queue_map.h"
#include "kind/queue_probe/probes/blocking_vote.h"

namespace aaco {

struct QueueMapProbe {
  int32_t streams = 8;
  int32_t repeats = 5;
  BlockingKernels kernels;
};

// By pair, repeats round by round. Errors: kUsage for no stream; the device's.
Result<std::vector<BlockingProbe>> probe_queue_map(Device& device, const QueueMapProbe& probe);

}  // namespace aaco
