// SPDX-License-Identifier: MIT
// Collectives of a sharded step as they are written into its program: on the streams and communicators that they are
// for, in one order on each communicator, and marked where the host watches.
#pragma once

#include <optional>
#include <vector>

#include "workload/sharded/communication/communicator_ranks.h"
#include "workload/sharded/sharded_step.h"

namespace aaco {

class StepCommunication {
 public:
  // `progress`: ProgressWords by communicator, or without memory. All must outlive it.
  StepCommunication(StepWriter& step, const ShardedConfig& config, const Tensor& progress);

  // At the stream that the writer is at, which is the collective's.
  void add(CommunicatorRole role, CollectiveCommand command);

 private:
  void mark(size_t communicator, int32_t ProgressWords::* word);

  StepWriter& step_;
  const ShardedConfig& config_;
  const Tensor& progress_;
  std::vector<RankGroup> groups_;
  std::vector<int32_t> counts_;               // of collectives, by communicator
  std::vector<std::optional<int32_t>> last_;  // stream of the latest collective, by communicator
};

// Of a command that is written elsewhere: which communicator, and how many ranks it has.
void set_communicator(const ShardedConfig& config, CommunicatorRole role, CollectiveCommand& command);

}  // namespace aaco
