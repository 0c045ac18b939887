// SPDX-License-Identifier: MIT
// A workload as a process of a run has it: devices open, streams made, memory filled.
#pragma once

#include <memory>
#include <vector>

#include "kind/queue_run/document/workload_request.h"
#include "workload/workload.h"

namespace aaco {

struct PreparedWorkload {
  std::unique_ptr<Communicator> communicator;
  std::vector<Device*> devices;
  std::unique_ptr<WorkloadInstance> instance;
  std::vector<std::unique_ptr<Stream>> streams;  // behind the instance: they end before its memory is freed
  ProgramTarget target;                          // the streams, rank by rank
  int64_t iterations = 0;                        // enqueued since setup, measured or not
};

// Opens, builds, and runs setup. The request is a complete one. Errors: the request's, the devices', the workload's.
Result<std::unique_ptr<PreparedWorkload>> prepare_workload(const QueueRequest& request);

// A dispatcher of the iteration. Before a capture one iteration is dispatched by one thread: libraries choose and time
// their algorithms on the first call, which a capture would not allow, and graphs are to run what the other modes run.
Result<std::unique_ptr<Dispatcher>> make_ready_dispatcher(PreparedWorkload& workload, DispatchMode mode);

// The workload's own checks of what its iterations left; none where there was none. Errors: kInvalid; the device's.
Result<void> check_result(const PreparedWorkload& workload);

}  // namespace aaco
