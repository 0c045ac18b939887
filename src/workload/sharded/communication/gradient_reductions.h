// SPDX-License-Identifier: MIT
// When a sharded step reduces gradients, and what waits for it. Sharded: unit by unit, reduce-scattered over the shard
// group and added up over micro-steps, then, once a step, all-reduced between the groups. Replicated: added up, then
// all-reduced in buckets. Beside the backward pass, or all of it behind. In bf16 each is cast in front of the link and
// back behind it.
#pragma once

#include <optional>
#include <vector>

#include "workload/sharded/communication/step_communication.h"
#include "workload/sharded/sharded_update.h"

namespace aaco {

class GradientReductions {
 public:
  // Makes its memory. All must outlive it.
  GradientReductions(WorkloadBuilder& builder, StepWriter& step, StepCommunication& communication,
                     const ShardedConfig& config, const ShardedWeights& weights);

  // Gradients in the type on the link; none where they are not cast.
  std::vector<Tensor> arrays() const;

  // Of a micro-step, at the stream of the passes; before a layer's gradients are written, and when all of a unit's are
  // there.
  void begin(size_t micro);
  void before_backward(size_t layer);
  void reduce(size_t unit);
  void end();
  // Of the last micro-step: the ranges of gradients that can be updated, each behind its event.
  std::vector<ReducedRange> take_ranges() { return std::move(ranges_); }

 private:
  bool is_last_micro() const { return static_cast<int64_t>(micro_) + 1 == config_.micro_steps; }
  bool casts() const { return config_.reduce_dtype != Dtype::kF32; }
  int64_t longest_bucket() const;
  ReducedRange range_of(const ShardedUnit& unit) const;
  void reduce_scatter(size_t unit);
  void replicate(const ShardedUnit& unit);
  void add_up(const ShardedUnit& unit);
  void fill_bucket(const ShardedUnit& unit);
  void close_bucket();
  void reduce_bucket(ReducedRange range);
  void all_reduce(void* grads, int64_t elements);
  void cast(const void* from, Dtype from_dtype, void* to, Dtype to_dtype, int64_t elements);

  StepWriter& step_;
  StepCommunication& communication_;
  const ShardedConfig& config_;
  const ShardedWeights& weights_;
  size_t layers_;
  size_t micro_ = 0;
  Tensor sent_;      // of the type on the link, where that is not the gradients'
  Tensor received_;  // likewise, of a rank's part
  Tensor replicated_;
  std::vector<std::optional<int32_t>> read_;  // events, by unit: its array of gradients is free
  std::vector<ReducedRange> ranges_;
  std::optional<ReducedRange> bucket_;
  std::vector<ReducedRange> closed_;  // buckets that are reduced behind the pass
};

}  // namespace aaco
