// SPDX-License-Identifier: MIT
#include "workload/sharded/sharded_update.h"

#include <algorithm>
#include <cstddef>

namespace aaco {

namespace {

constexpr int64_t kSums = 64;         // of a range, so that more than one group of threads adds up
constexpr int64_t kStepsBeyond = 64;  // that are trained besides the run's: recorded ones
constexpr auto kCompute = static_cast<int32_t>(ShardedStream::kCompute);
constexpr auto kReduce = static_cast<int32_t>(ShardedStream::kReduce);

// Places of norm_.
enum Scalar : int64_t { kSquareSum, kOne, kFirst, kInverse, kScale, kScalars };

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
  builder.setup().op(kCompute, first_llama_tick(config.llama, memory.buffers));
  if (config.decay_steps > 0) {
    make_rates(builder);
    write_rate(builder.setup(), kCompute);
  }
  if (config.clip_norm > 0) {
    squares_ = builder.tensor(Dtype::kF32, {weights.grads.elements()});
    sums_ = builder.tensor(Dtype::kF32, {static_cast<int64_t>(weights.units.size()), kSums});
    norm_ = builder.tensor(Dtype::kF32, {kScalars});
  }
}

void ShardedUpdate::make_rates(WorkloadBuilder& builder) {
  const int64_t steps = std::max(config_.llama.steps, config_.decay_steps) + kStepsBeyond;
  const auto table = [&](double (*of)(double rate, double weight_decay)) {
    return make_from_host(builder, Dtype::kF32, {steps}, [config = config_, steps, of](const Tensor& to) {
      for (int64_t step = 0; step < steps; ++step) {
        to.as<float>()[step] = static_cast<float>(of(rate_of(config, step), config.llama.weight_decay));
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
  if (!config_.shards()) {
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

// grad *= min(1, clip_norm / (norm + 1e-6)), as torch.nn.utils.clip_grad_norm_. The inverse of the norm is what AdamW
// makes of a gradient of kTiny and a second moment of the sum of squares: rate * kTiny / (sqrt(sum + kTiny^2) + 1e-6),
// the one operation with a root that every backend has.
void ShardedUpdate::clip(StepWriter& step, const std::vector<ReducedRange>& ranges,
                         const CommunicateFunction& communicate) const {
  constexpr float kTiny = 1e-6F;
  const auto scalar = [&](Scalar which) { return norm_.as<float>() + which; };
  for (size_t i = 0; i < ranges.size(); ++i) {
    const ReducedRange& range = ranges[i];
    if (range.done) {
      step.wait(*range.done);
    }
    const int64_t elements = range.end - range.first;
    float* const squares = squares_.as<float>() + range.first;
    UnaryArgs square{weights_.grads.as<float>() + range.first, squares, elements};
    square.op = UnaryOp::kSquare;
    step.op(StepPart::kUpdate, square);
    step.op(StepPart::kUpdate,
            ReduceArgs{squares, sums_.as<float>() + static_cast<int64_t>(i) * kSums, kSums, elements / kSums});
  }
  const auto sums = static_cast<int64_t>(ranges.size()) * kSums;
  step.op(StepPart::kUpdate, ReduceArgs{sums_.data, scalar(kSquareSum), 1, sums});
  sum_over_ranks(step, communicate);
  step.op(StepPart::kUpdate, FillArgs{scalar(kOne), 1, kTiny});
  step.op(StepPart::kUpdate, FillArgs{scalar(kFirst), 2, 0});  // kInverse too
  AdamArgs inverse;
  inverse.param = scalar(kInverse);
  inverse.grad = scalar(kOne);
  inverse.first = scalar(kFirst);
  inverse.second = scalar(kSquareSum);
  inverse.n = 1;
  inverse.rate = -1 / kTiny;
  inverse.beta1 = 0;
  inverse.beta2 = 0.5F;
  inverse.eps = 1e-6F;
  step.op(StepPart::kUpdate, inverse);
  UnaryArgs scale{scalar(kInverse), scalar(kScale), 1, UnaryOp::kScaleShift, static_cast<float>(config_.clip_norm), 0};
  step.op(StepPart::kUpdate, scale);
  step.op(StepPart::kUpdate, UnaryArgs{scalar(kScale), scalar(kScale), 1, UnaryOp::kClamp, 0, 1});
  float* const grads = weights_.grads.as<float>();
  step.op(StepPart::kUpdate, BinaryArgs{grads, scalar(kScale), grads, weights_.grads.elements(), 1, 1, BinaryOp::kMul});
}

// Replicated gradients are whole on every rank.
void ShardedUpdate::sum_over_ranks(StepWriter& step, const CommunicateFunction& communicate) const {
  if (config_.shards()) {
    step.wait(communicate({Collective::kAllReduce, {{kReduce, norm_.data, norm_.data}}, 1}));
  }
}

void ShardedUpdate::update(StepWriter& step, const ReducedRange& range) const {
  const auto part = [&](const Tensor& all) { return all.view(range.first, {range.end - range.first}); };
  write_llama_update(step, memory_,
                     {part(weights_.masters), part(weights_.values), part(weights_.grads), part(weights_.first),
                      part(weights_.second)});
}

}  // namespace aaco
