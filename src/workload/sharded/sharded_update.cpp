// SPDX-License-Identifier: MIT
#include "workload/sharded/sharded_update.h"

#include <algorithm>
#include <cstddef>

namespace aaco {

namespace {

constexpr int64_t kSums = 512;        // of gradients, so that a device's units all add up
constexpr int64_t kStepsBeyond = 64;  // that are trained besides the run's, as where it is verified
constexpr auto kCompute = static_cast<int32_t>(ShardedStream::kCompute);
constexpr auto kReduce = static_cast<int32_t>(ShardedStream::kReduce);

// From step 1 on; from decay_steps on 0.
double rate_of(const ShardedConfig& config, int64_t step) {
  const int64_t warmup = config.llama.warmup_steps;
  if (step <= warmup) {
    return config.llama.rate * static_cast<double>(step) / static_cast<double>(warmup);
  }
  const auto left = static_cast<double>(std::max<int64_t>(0, config.decay_steps - step));
  return config.llama.rate * left / static_cast<double>(config.decay_steps - warmup);
}

}  // namespace

ShardedUpdate::ShardedUpdate(WorkloadBuilder& builder, const ShardedConfig& config, const ShardedWeights& weights,
                             const LlamaMemory& memory)
    : config_(config), weights_(weights), memory_(memory) {
  builder.setup().op(kCompute, first_llama_tick(memory.config, memory.buffers));
  if (config.decay_steps > 0) {
    make_rates(builder);
    write_rate(builder.setup(), kCompute);
  }
  if (config.clip_norm > 0) {
    sums_ = builder.tensor(Dtype::kF32, {2, kSums});
    scale_ = builder.tensor(Dtype::kF32, {1});
  }
}

void ShardedUpdate::make_rates(WorkloadBuilder& builder) {
  const int64_t steps = std::max(config_.llama.steps, config_.decay_steps) + kStepsBeyond;
  const auto table = [&](double (*factor_of)(double rate, double weight_decay)) {
    return make_from_host(builder, Dtype::kF32, {steps}, [config = config_, steps, factor_of](const Tensor& to) {
      for (int64_t step = 0; step < steps; ++step) {
        to.as<float>()[step] = static_cast<float>(factor_of(rate_of(config, step), config.llama.weight_decay));
      }
    });
  };
  rates_ = table([](double rate, double /*weight_decay*/) { return rate; });
  decays_ = table([](double rate, double weight_decay) { return 1 - rate * weight_decay; });
}

// The clock's own rate stays behind its warm-up: its step chooses another from the table.
void ShardedUpdate::write_rate(Program& program, int32_t stream) const {
  auto* const clock = memory_.buffers.clock.as<TrainingClock>();
  const int64_t steps = rates_.elements();
  program.op(stream, GatherArgs{rates_.data, &clock->step, &clock->rate, 1, 1, steps, Dtype::kF32});
  program.op(stream, GatherArgs{decays_.data, &clock->step, &clock->decay, 1, 1, steps, Dtype::kF32});
}

std::vector<ReducedRange> ShardedUpdate::order_of(const std::vector<ReducedRange>& ranges) const {
  if (!config_.shards() || config_.prefetch == 0) {
    return ranges;
  }
  const auto first =
      static_cast<std::ptrdiff_t>(std::min<size_t>(ranges.size(), static_cast<size_t>(config_.prefetch) + 1));
  const auto others = static_cast<std::ptrdiff_t>(ranges.size()) - first;
  std::vector<ReducedRange> order(ranges.begin(), ranges.begin() + others / 2);
  order.insert(order.end(), ranges.rbegin(), ranges.rbegin() + first);
  order.insert(order.end(), ranges.begin() + others / 2, ranges.begin() + others);
  return order;
}

void ShardedUpdate::write(StepWriter& step, const std::vector<ReducedRange>& ranges,
                          const std::function<void(const ReducedRange&)>& updated,
                          const CommunicateFunction& communicate) {
  step.phase(StepPhase::kOptimizer);
  if (config_.clip_norm > 0) {
    clip(step, ranges, communicate);
  }
  for (const ReducedRange& range : order_of(ranges)) {
    if (range.done) {
      step.wait(*range.done);
    }
    update(step, range);
    updated(range);
  }
  write_llama_tick(step, memory_);
  if (config_.decay_steps > 0) {
    step.program(StepPart::kUpdate, [&](Program& program, int32_t stream) { write_rate(program, stream); });
  }
}

// What the optimiser multiplies gradients with. What is reduced last is summed last, the rest at once: ranges come from
// the end of the arrays to their beginning, without gaps.
void ShardedUpdate::clip(StepWriter& step, const std::vector<ReducedRange>& ranges,
                         const CommunicateFunction& communicate) const {
  const ReducedRange& last = ranges.back();
  const int64_t end = ranges.front().end;
  for (const ReducedRange& range : ranges) {
    if (&range == &last) {
      sum_squares(step, last.end, end, 1);
    }
    if (range.done) {
      step.wait(*range.done);
    }
  }
  sum_squares(step, last.first, last.end, 0);
  sum_over_ranks(step, sums_, communicate);
  step.op(StepPart::kUpdate, ClipScaleArgs{sums_.as<float>(), scale_.as<float>(), sums_.elements(),
                                           static_cast<float>(config_.clip_norm)});
}

void ShardedUpdate::sum_squares(StepWriter& step, int64_t first, int64_t end, int64_t row) const {
  step.op(StepPart::kUpdate,
          SquareSumArgs{weights_.grads.as<float>() + first, sums_.as<float>() + row * kSums, end - first, kSums});
}

// A shard group has every gradient once; replicated, they are whole on every rank.
void ShardedUpdate::sum_over_ranks(StepWriter& step, const Tensor& sums, const CommunicateFunction& communicate) const {
  if (config_.shards()) {
    step.wait(communicate({Collective::kAllReduce, {{kReduce, sums.data, sums.data}}, sums.elements()}));
  }
}

void ShardedUpdate::update(StepWriter& step, const ReducedRange& range) const {
  const auto part = [&](const Tensor& all) { return all.view(range.first, {range.end - range.first}); };
  write_llama_update(step, memory_,
                     {part(weights_.masters), part(weights_.values), part(weights_.grads), part(weights_.first),
                      part(weights_.second), scale_});
}

}  // namespace aaco
