// SPDX-License-Identifier: MIT
// When a sharded step gathers its units, and where passes wait for them. Limited, a layer is gathered as far ahead of
// the computation as was asked for, into an array that it takes turns in. Without a limit each layer has an array of
// its own, and all that a pass needs are gathered one behind the other as soon as their arrays are free: behind the
// optimiser for the forward pass, and for the backward pass beside the forward pass of the last layers. What is
// gathered is the same.
#pragma once

#include <optional>
#include <vector>

#include "workload/sharded/communication/step_communication.h"
#include "workload/sharded/sharded_weights.h"

namespace aaco {

class BlockGathers {
 public:
  // Nothing is written for a configuration that shards nothing. All must outlive it.
  BlockGathers(StepWriter& step, StepCommunication& communication, const ShardedConfig& config,
               const ShardedWeights& weights);

  // Of a micro-step, at the stream of the passes; around the layers of each pass.
  void begin(size_t micro);
  void before_forward(size_t layer);
  void after_forward(size_t layer);
  void before_backward(size_t layer);
  void after_backward(size_t layer);
  // For the next step, behind the update of the unit whose gradients begin at element `first` of this rank's, if it is
  // one of the first.
  void gather_for_next_step(int64_t first);

 private:
  bool is_last_micro() const { return static_cast<int64_t>(micro_) + 1 == config_.micro_steps; }
  size_t ahead() const { return static_cast<size_t>(config_.prefetch); }
  size_t backward_ahead() const { return static_cast<size_t>(config_.backward_prefetch); }
  bool holds(size_t layer) const { return held_[layer % held_.size()] == layer; }
  void hold(size_t layer) { held_[layer % held_.size()] = layer; }
  void begin_behind_computation();
  void wait_for(size_t layer);
  void gather_layer(size_t layer);
  void gather(size_t unit);

  StepWriter& step_;
  StepCommunication& communication_;
  const ShardedConfig& config_;
  const ShardedWeights& weights_;
  size_t layers_;
  size_t micro_ = 0;
  std::vector<std::optional<int32_t>> gathered_;  // events, by unit
  // The layer that is in an array; without a limit, that would be.
  std::vector<std::optional<size_t>> held_;
};

// What a step finds gathered (the root, and as many layers as are gathered ahead), into a program of its own, behind
// what it has.
void write_first_gathers(const ShardedConfig& config, const ShardedWeights& weights, Program& program);

}  // namespace aaco
