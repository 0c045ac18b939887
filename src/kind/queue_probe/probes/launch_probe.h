// SPDX-License-Identifier: MIT
// Times of launching a kernel that does nothing: from one thread, from several with a stream each, and with a
// synchronisation after each launch. After every batch the streams are emptied, untimed, so that no launch meets a full
// queue.
#pragma once

#include <vector>

#include "device/device.h"
#include "kind/queue_probe/analysis/launch_cost.h"

namespace aaco {

struct LaunchProbe {
  std::vector<int32_t> threads{1, 2, 4, 8};
  int32_t launches = 200;  // in a batch, by each thread
  int32_t batches = 10;    // kept; one before is not
};

// A sample for each number of threads, then one of launch and synchronise. Errors: kUsage for no thread; the device's.
Result<std::vector<LaunchSample>> probe_launches(Device& device, const LaunchProbe& probe);

}  // namespace aaco
