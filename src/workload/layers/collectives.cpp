// SPDX-License-Identifier: MIT
#include "workload/layers/collectives.h"

namespace aaco {

void add_collective(WorkloadBuilder& builder, Program& program, Collective collective, int32_t index,
                    const CollectiveBuffers& buffers, int64_t count) {
  if (builder.world() == 1) {
    const Tensor& from = buffers.send.front();
    const Tensor& to = buffers.receive.front();
    if (from.data != to.data) {
      program.copy(builder.stream(0, index), to.data, from.data, static_cast<size_t>(count * size_of(from.dtype)));
    }
    return;
  }
  CollectiveCommand command;
  command.collective = collective;
  command.count = count;
  command.dtype = buffers.send.front().dtype;
  for (int32_t rank = 0; rank < builder.ranks(); ++rank) {
    const auto at = static_cast<size_t>(rank);
    command.ranks.push_back({builder.stream(rank, index), buffers.send[at].data, buffers.receive[at].data});
  }
  program.collective(std::move(command));
}

void share_weights(WorkloadBuilder& builder, const std::vector<const WeightBucket*>& by_rank) {
  if (builder.ranks() == 1) {
    return;
  }
  CollectiveBuffers masters;
  CollectiveBuffers values;
  for (const WeightBucket* bucket : by_rank) {
    masters.send.push_back(bucket->masters());
    values.send.push_back(bucket->values());
  }
  masters.receive = masters.send;
  values.receive = values.send;
  add_collective(builder, builder.setup(), Collective::kBroadcast, 0, masters, masters.send.front().elements());
  if (values.send.front().data != masters.send.front().data) {
    add_collective(builder, builder.setup(), Collective::kBroadcast, 0, values, values.send.front().elements());
  }
}

}  // namespace aaco
