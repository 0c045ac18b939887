// SPDX-License-Identifier: MIT
// The gradients of one bucket of weights, summed over all ranks, in place; and what they should be, by another way.
#pragma once

#include <string>
#include <vector>

#include "workload/layers/collectives.h"

namespace aaco {

class GradientReduction {
 public:
  // The bucket of the next rank.
  void add(const WeightBucket& bucket);
  // What setup has computed so far into the bucket of `rank` is kept apart and taken away. Once a rank, in their order.
  void keep_reference(WorkloadBuilder& builder, int32_t rank);
  // On stream `index` of every rank.
  void enqueue(WorkloadBuilder& builder, Program& program, int32_t index) const;
  // The first rank's gradients are an output, and are held against the sum of all references, where they are kept.
  void finish(WorkloadBuilder& builder, const std::string& what, double tolerance) const;

 private:
  CollectiveBuffers buffers_;
  std::vector<Tensor> references_;
};

}  // namespace aaco
