// SPDX-License-Identifier: MIT
// The saturating probe of kind/queue_probe/analysis/queue_limit.h on a device.
#pragma once

#include <vector>

#include "device/device.h"
#include "kind/queue_probe/analysis/queue_limit.h"
#include "kind/queue_probe/probes/blocking_vote.h"

namespace aaco {

struct QueueLimitProbe {
  int32_t most_busy = 40;  // CUDA takes up to 32 connections
  int32_t repeats = 5;
  BlockingKernels kernels{1'500'000, 1'000};  // longer than 81 launches take
};

// One busy stream, two, and so on, until a kernel waited in every repeat. Errors: kUsage for no busy stream or no
// repeat; the device's.
Result<std::vector<LimitProbe>> probe_queue_limit(Device& device, const QueueLimitProbe& probe);

}  // namespace aaco
