// SPDX-License-Identifier: MIT
#include "workload/sharded/communication/block_gathers.h"

#include <algorithm>
#include <utility>

namespace aaco {

namespace {

constexpr auto kCompute = static_cast<int32_t>(ShardedStream::kCompute);
constexpr auto kGather = static_cast<int32_t>(ShardedStream::kGather);

CollectiveCommand gather_of(const ShardedUnit& unit) {
  return {Collective::kAllGather,
          {{kGather, unit.value.data, unit.whole_value.data}},
          unit.value.elements(),
          unit.value.dtype};
}

std::vector<size_t> first_units(const ShardedConfig& config, const ShardedWeights& weights) {
  std::vector<size_t> units;
  for (size_t unit = 0; config.shards() && unit <= static_cast<size_t>(config.prefetch) && unit <= weights.layers();
       ++unit) {
    units.push_back(unit);
  }
  return units;
}

}  // namespace

BlockGathers::BlockGathers(StepWriter& step, StepCommunication& communication, const ShardedConfig& config,
                           const ShardedWeights& weights)
    : step_(step),
      communication_(communication),
      config_(config),
      weights_(weights),
      layers_(weights.layers()),
      gathered_(weights.units.size()),
      held_(static_cast<size_t>(config.resident_layers())) {
  for (const size_t unit : first_units(config, weights)) {
    if (unit > 0) {
      hold(unit - 1);
    }
  }
}

// What the first layers need was gathered at the end of the step before. The root is whole until the step's end, and
// so are layers that are kept.
void BlockGathers::begin(size_t micro) {
  micro_ = micro;
  if (!config_.shards()) {
    return;
  }
  if (micro == 0) {
    step_.after(kGather);
  }
  const bool limited = config_.limits_gathers;
  if (limited == (micro == 0)) {
    return;  // gathered in the step before, or beside the backward pass before
  }
  begin_behind_computation();
  for (size_t layer = 0; layer < (limited ? std::min(ahead(), layers_) : layers_); ++layer) {
    if (!holds(layer)) {
      gather_layer(layer);
    }
  }
}

void BlockGathers::before_forward(size_t layer) {
  if (!config_.shards()) {
    return;
  }
  if (config_.limits_gathers && layer + ahead() < layers_ && !holds(layer + ahead())) {
    begin_behind_computation();
    gather_layer(layer + ahead());
  }
  wait_for(layer);
}

// Without a limit: the last layer that the backward pass will not find whole, and all before it, are done with.
void BlockGathers::after_forward(size_t layer) {
  if (!config_.shards() || config_.limits_gathers || layer + held_.size() + 1 != layers_) {
    return;
  }
  begin_behind_computation();
  for (size_t below = layer + 1; below-- > 0;) {
    gather_layer(below);
  }
}

void BlockGathers::before_backward(size_t layer) {
  if (!config_.shards()) {
    return;
  }
  if (config_.limits_gathers && !config_.gathers_behind_layer && layer >= backward_ahead() &&
      !holds(layer - backward_ahead())) {
    begin_behind_computation();
    gather_layer(layer - backward_ahead());
  }
  wait_for(layer);
}

void BlockGathers::after_backward(size_t layer) {
  if (!config_.shards()) {
    return;
  }
  if (config_.limits_gathers && config_.gathers_behind_layer && layer >= backward_ahead() &&
      !holds(layer - backward_ahead())) {
    begin_behind_computation();
    gather_layer(layer - backward_ahead());
  }
  // For the next micro-step: the first layer that it will not find whole, and all behind it, are done with.
  if (!config_.limits_gathers && !is_last_micro() && layer == held_.size()) {
    begin_behind_computation();
    for (size_t above = layer; above < layers_; ++above) {
      gather_layer(above);
    }
  }
}

void BlockGathers::gather_for_next_step(int64_t first) {
  for (const size_t unit : first_units(config_, weights_)) {
    if (weights_.units[unit].grad.as<float>() - weights_.grads.as<float>() == first) {
      begin_behind_computation();
      gather(unit);
    }
  }
}

// Of those of the step before nothing is waited for: it was when this one began.
void BlockGathers::wait_for(size_t layer) {
  if (const auto& gathered = gathered_[ShardedWeights::unit_of(layer)]) {
    step_.wait(*gathered);
  }
}

// What lies where the next one is to lie was used by then; and limited, no more layers are gathered ahead of the
// computation than was asked for.
void BlockGathers::begin_behind_computation() {
  step_.stream(kGather);
  step_.after(kCompute);
  step_.stream(kCompute);
}

void BlockGathers::gather_layer(size_t layer) {
  hold(layer);
  gather(ShardedWeights::unit_of(layer));
}

void BlockGathers::gather(size_t unit) {
  step_.stream(kGather);
  communication_.add(CommunicatorRole::kGather, gather_of(weights_.units[unit]));
  gathered_[unit] = step_.record();
  step_.stream(kCompute);
}

void write_first_gathers(const ShardedConfig& config, const ShardedWeights& weights, Program& program) {
  const std::vector<size_t> units = first_units(config, weights);
  if (!units.empty()) {
    program.after(kGather, kCompute);
  }
  for (const size_t unit : units) {
    CollectiveCommand gather = gather_of(weights.units[unit]);
    set_communicator(config, CommunicatorRole::kGather, gather);
    program.collective(std::move(gather));
  }
}

}  // namespace aaco
