// SPDX-License-Identifier: MIT
#include "workload/sharded/communication/step_communication.h"

#include <utility>

namespace aaco {

StepCommunication::StepCommunication(StepWriter& step, const ShardedConfig& config, const Tensor& progress)
    : step_(step),
      config_(config),
      progress_(progress),
      groups_(communicator_ranks(config)),
      counts_(groups_.size()),
      last_(groups_.size()) {}

// Where streams share a communicator, behind its collective before, as NCCL does by itself.
void StepCommunication::add(CommunicatorRole role, CollectiveCommand command) {
  set_communicator(config_, role, command);
  const auto at = static_cast<size_t>(command.communicator);
  if (last_[at] && *last_[at] != step_.stream()) {
    step_.after(*last_[at]);
  }
  last_[at] = step_.stream();
  ++counts_[at];
  mark(at, &ProgressWords::begun);
  step_.collective(std::move(command));
  mark(at, &ProgressWords::done);
}

void StepCommunication::mark(size_t communicator, int32_t ProgressWords::* word) {
  if (progress_.data != nullptr) {
    ProgressWords& words = progress_.as<ProgressWords>()[communicator];
    step_.op(StepPart::kCommunication,
             FillArgs{&(words.*word), 1, static_cast<double>(counts_[communicator]), Dtype::kI32});
  }
}

void set_communicator(const ShardedConfig& config, CommunicatorRole role, CollectiveCommand& command) {
  command.communicator = communicator_of(config, role);
  command.group_ranks = role == CommunicatorRole::kReplicate
                            ? static_cast<int32_t>(config.llama.ranks) / config.shard_ranks()
                            : config.shard_ranks();
}

}  // namespace aaco
