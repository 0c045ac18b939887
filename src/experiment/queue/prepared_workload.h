// SPDX-License-Identifier: MIT
// A workload as a process of a run has it: devices open, streams made, memory filled.
#pragma once

#include <memory>
#include <vector>

#include "experiment/queue/queue_request.h"
#include "workload/workload.h"

namespace aaco {

struct PreparedWorkload {
  std::unique_ptr<Communicator> communicator;
  std::vector<Device*> devices;
  std::vector<std::unique_ptr<Stream>> streams;
  std::unique_ptr<WorkloadInstance> instance;
  ProgramTarget target;  // the streams, rank by rank
};

// Opens, builds, and runs setup. Errors: the request's, the devices', the workload's.
Result<std::unique_ptr<PreparedWorkload>> prepare_workload(const QueueRequest& request);

}  // namespace aaco
