// SPDX-License-Identifier: MIT
// A rank of a sharded training as its process has it: device open, communicators joined, memory filled.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kind/sharded/sharded_run.h"
#include "workload/dispatch.h"
#include "workload/sharded/communication/communicator_ranks.h"
#include "workload/sharded/sharded_step.h"

namespace aaco {

// Joined once by a process, for all trainings that it builds.
struct JoinedRank {
  Device* device = nullptr;
  int64_t rank = 0;
  int64_t ranks = 1;
  std::vector<std::unique_ptr<Communicator>> communicators;
  sharded::StreamPriorities high_priority;
  bool requires_registered_memory = false;  // else it is done without, and said
};

// A communicator for each group, which has this rank. Waits for the other ranks of each. Errors: the device's, the
// communicator's.
Result<JoinedRank> join_ranks(const ShardedRequest& request, int64_t rank, std::span<const RankGroup> groups);

// Of a stream on such a device: the highest where that was asked for, else the lowest.
int priority_of(ShardedStream stream, const sharded::StreamPriorities& high, const DeviceProperties& device);

struct PreparedRank {
  ShardedTraining training;
  std::vector<std::unique_ptr<RegisteredMemory>> registered;  // of what collectives send and receive
  std::string not_registered;                                 // why; "": it was, or was not asked for
  std::vector<std::unique_ptr<Stream>> streams;  // behind the training: they end before its memory is freed
  ProgramTarget target;
};

// Builds, and runs setup. `joined` must outlive it. Errors: the configuration's, the device's.
Result<std::unique_ptr<PreparedRank>> prepare_rank(const JoinedRank& joined, const ShardedConfig& config);

// Before a capture `steps_done` more steps, one, are dispatched by one thread: libraries choose and time their
// algorithms on the first call, and communicators connect, which a capture would not allow.
Result<std::unique_ptr<Dispatcher>> make_rank_dispatcher(PreparedRank& prepared, DispatchMode mode,
                                                         int64_t& steps_done);

}  // namespace aaco
