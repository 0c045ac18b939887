// SPDX-License-Identifier: MIT
// The blocking probe of analysis/queue/queue_map.h on a device: for every ordered pair of streams, each with itself as
// the control among them, a long kernel A1 and a short A2 on the first, then a short B on the second. None takes more
// than one block, so that units are no reason to wait. The vote is unknown where the host was so slow that A1 may have
// ended before B was enqueued.
#pragma once

#include "analysis/queue/queue_map.h"
#include "device/device.h"

namespace aaco {

struct QueueMapProbe {
  int32_t streams = 8;
  int32_t repeats = 5;
  int64_t long_ns = 300'000;
  int64_t short_ns = 1'000;
};

// By pair, repeats round by round. Errors: kUsage for no stream; the device's.
Result<std::vector<BlockingProbe>> probe_queue_map(Device& device, const QueueMapProbe& probe);

}  // namespace aaco
