// SPDX-License-Identifier: MIT
// What a request of `aaco queue run` means, and whether it can be met.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "kind/queue_run/document/queue_request.h"
#include "workload/dispatch.h"

namespace aaco {

// When the host waits for the device, and so what an iteration's time is:
//   per_iteration  after each iteration: from the first enqueue to the end of all streams
//   end_only       once, after the last: the whole, over the iterations; per iteration only the enqueueing is timed
//   none           never within what is timed: the time is the host's enqueueing alone
enum class SyncMode : uint8_t { kPerIteration, kEndOnly, kNone };

// Errors: kUsage naming the choices.
Result<SyncMode> sync_mode_of(const QueueRequest& request);
Result<DispatchMode> dispatch_mode_of(const QueueRequest& request);

// Everything that can be told to be wrong before a process is started, the workload's own name for an alias, and what
// depends on workload and device: ranks, sizes. A complete request stays as it is. Errors: kUsage.
Result<QueueRequest> complete_request(QueueRequest request);

// Which sizes of a complete request are those for a CPU; empty where none is.
std::string scale_note(const QueueRequest& request);

}  // namespace aaco
