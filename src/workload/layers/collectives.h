// SPDX-License-Identifier: MIT
// A collective among all ranks of a workload; alone, what it comes to: nothing, or a copy.
#pragma once

#include <vector>

#include "workload/layers/weights.h"

namespace aaco {

// By rank: of the devices, not of emulated ones.
struct CollectiveBuffers {
  std::vector<Tensor> send;
  std::vector<Tensor> receive;
};

// On stream `index` of every rank. `count` as communicator.h says.
void add_collective(WorkloadBuilder& builder, Program& program, Collective collective, int32_t index,
                    const CollectiveBuffers& buffers, int64_t count);

// In setup: every rank's weights become the first's.
void share_weights(WorkloadBuilder& builder, const std::vector<const WeightBucket*>& by_rank);

// How much larger a sum over all ranks is than the sum over `builder.ranks()`, when the others are emulated: they are
// taken to hold what the first holds.
inline double emulated_copies(const WorkloadBuilder& builder) {
  return static_cast<double>(builder.world()) / builder.ranks();
}

}  // namespace aaco
