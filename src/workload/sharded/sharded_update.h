// SPDX-License-Identifier: MIT
// The end of a sharded step: parameters are updated part by part, by clipped gradients, and the clock goes on. In
// memory gradients stay as they were: the optimiser multiplies what it reads.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "workload/sharded/sharded_step.h"
#include "workload/training/llama_passes.h"

namespace aaco {

// Gradients that are reduced together: elements [first, end) of this rank's flat arrays, and the event behind.
struct ReducedRange {
  int64_t first = 0;
  int64_t end = 0;
  std::optional<int32_t> done;
};

// Writes a collective on the stream of reductions behind what is computed so far; the event behind it.
using CommunicateFunction = std::function<int32_t(CollectiveCommand command)>;

class ShardedUpdate {
 public:
  // Makes its memory, and in setup sets the clock to step 1. All must outlive it.
  ShardedUpdate(WorkloadBuilder& builder, const ShardedConfig& config, const ShardedWeights& weights,
                const LlamaMemory& memory);

  // In the order of the ranges, so that what is reduced last has the others' update to hide behind; but with a prefetch
  // those that the next step needs first, which come last, before the second half of the others, so that
  // `updated(range)`, called behind each, can have them gathered beside that. Clipped, all wait for the last, since its
  // norm is part of the whole.
  void write(StepWriter& step, const std::vector<ReducedRange>& ranges,
             const std::function<void(const ReducedRange&)>& updated, const CommunicateFunction& communicate);

 private:
  void make_rates(WorkloadBuilder& builder);
  void write_rate(Program& program, int32_t stream) const;
  std::vector<ReducedRange> order_of(const std::vector<ReducedRange>& ranges) const;
  void clip(StepWriter& step, const std::vector<ReducedRange>& ranges, const CommunicateFunction& communicate) const;
  void sum_squares(StepWriter& step, int64_t first, int64_t end, int64_t row) const;
  void sum_over_ranks(StepWriter& step, const Tensor& sums, const CommunicateFunction& communicate) const;
  void update(StepWriter& step, const ReducedRange& range) const;

  const ShardedConfig& config_;
  const ShardedWeights& weights_;
  const LlamaMemory& memory_;
  Tensor rates_;  // fp32, by step: where the rate falls
  Tensor decays_;
  Tensor sums_;   // fp32 [2, kSums]: of squares, where gradients are clipped
  Tensor scale_;  // fp32 [1]: of clipped gradients
};

}  // namespace aaco
