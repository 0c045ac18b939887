// SPDX-License-Identifier: MIT
// Whether a kernel waits for those of other streams: a long kernel A1 and behind it a short A2 on each of some streams,
// then a short B on one more. None takes more than one block, so that units are no reason to wait.
#pragma once

#include <span>

#include "device/device.h"
#include "kind/queue_probe/analysis/queue_map.h"
#include "kind/queue_probe/probes/spin_stamps.h"

namespace aaco {

struct BlockingKernels {
  int64_t long_ns = 300'000;
  int64_t short_ns = 1'000;
};

// kWaited: B began after one of the A1 had ended. kUnknown: the host was so slow that this may have been before B was
// enqueued. `stamps` has room for two kernels a stream of `busy`, and one. Errors: the device's.
Result<ProbeVote> vote_behind(std::span<Stream* const> busy, Stream& last, SpinStamps& stamps,
                              const BlockingKernels& kernels);

}  // namespace aaco
