// SPDX-License-Identifier: MIT
#include "workload/sharded/sharded_step.h"

#include <optional>

#include "workload/training/llama_passes.h"

namespace aaco {

namespace {

constexpr WorkloadInfo kInfo{.id = "sharded llama",
                             .alias = "",
                             .priority = "",
                             .category = "training",
                             .unit = "tokens",
                             .summary = "A training step of the LLaMA, spread over ranks",
                             .about = "",
                             .recommended_streams = kShardedStreams,
                             .switch_sensitivity = "low",
                             .parameters = {},
                             .test_parameters = {},
                             .build = nullptr};

constexpr auto kCompute = static_cast<int32_t>(ShardedStream::kCompute);
constexpr auto kGather = static_cast<int32_t>(ShardedStream::kGather);
constexpr auto kReduce = static_cast<int32_t>(ShardedStream::kReduce);

// Gradients that are reduced together: elements [first, end) of the flat array, and the event behind.
struct ReducedRange {
  int64_t first = 0;
  int64_t end = 0;
  std::optional<int32_t> done;
};

class ShardedStepWriter {
 public:
  ShardedStepWriter(StepWriter& step, const ShardedConfig& config, const ShardedWeights& weights,
                    const LlamaMemory& memory)
      : step_(step),
        config_(config),
        weights_(weights),
        memory_(memory),
        layers_(weights.llama.layers.size()),
        gathered_(weights.units.size()),
        reduced_(weights.units.size()),
        held_(weights.value_slots) {}

  void write() {
    step_.phase(StepPhase::kForward);
    begin();
    write_llama_forward(step_, memory_, {[this](size_t layer) { before_forward(layer); }, [](size_t) {}});
    step_.phase(StepPhase::kBackward);
    write_llama_backward(
        step_, memory_, [](const WeightRange&) {},
        {[this](size_t layer) { before_backward(layer); }, [this](size_t layer) { reduce_layer(layer); }});
    reduce(0);
    close_bucket();
    step_.phase(StepPhase::kOptimizer);
    update();
    write_llama_tick(step_, memory_);
  }

 private:
  // What the first layers need, behind the last step's update.
  void begin() {
    if (!config_.shards()) {
      return;
    }
    gather_behind_computation();
    gather(0);
    for (size_t layer = 0; layer < ahead() && layer < layers_; ++layer) {
      gather_layer(layer);
    }
    step_.wait(*gathered_[0]);
  }

  void before_forward(size_t layer) {
    if (config_.shards()) {
      if (layer + ahead() < layers_) {
        gather_behind_computation();
        gather_layer(layer + ahead());
      }
      step_.wait(*gathered_[ShardedWeights::unit_of(layer)]);
    }
  }

  void before_backward(size_t layer) {
    if (!config_.shards()) {
      return;
    }
    if (layer >= ahead() && !holds(layer - ahead())) {
      gather_behind_computation();
      gather_layer(layer - ahead());
    }
    step_.wait(*gathered_[ShardedWeights::unit_of(layer)]);
    // The array of its gradients was that of a layer above.
    if (const size_t above = layer + weights_.grad_slots; above < layers_) {
      step_.wait(*reduced_[ShardedWeights::unit_of(above)]);
    }
  }

  size_t ahead() const { return static_cast<size_t>(config_.prefetch); }
  bool holds(size_t layer) const { return held_[layer % held_.size()] == layer; }

  // As many layers ahead of the computation as was asked for, and not more; and what lies where the next one is to lie
  // was used by then.
  void gather_behind_computation() {
    step_.stream(kGather);
    step_.after(kCompute);
    step_.stream(kCompute);
  }

  void gather_layer(size_t layer) {
    held_[layer % held_.size()] = layer;
    gather(ShardedWeights::unit_of(layer));
  }

  void gather(size_t number) {
    const ShardedUnit& unit = weights_.units[number];
    gathered_[number] = communicate(kGather, kGatherCommunicator,
                                    {Collective::kAllGather,
                                     {{kGather, unit.value.data, unit.whole_value.data}},
                                     unit.value.elements(),
                                     unit.value.dtype});
  }

  void reduce_layer(size_t layer) { reduce(ShardedWeights::unit_of(layer)); }

  // Its gradients are all there.
  void reduce(size_t number) {
    const ShardedUnit& unit = weights_.units[number];
    if (config_.shards()) {
      reduced_[number] = communicate_behind_computation(
          {Collective::kReduceScatter, {{kReduce, unit.whole_grad.data, unit.grad.data}}, unit.grad.elements()});
      ranges_.push_back(range_of(unit, reduced_[number]));
      return;
    }
    const ReducedRange range = range_of(unit, std::nullopt);
    bucket_ = bucket_ ? ReducedRange{range.first, bucket_->end, {}} : range;  // units come from the last to the first
    if ((bucket_->end - bucket_->first) * size_of(Dtype::kF32) >= config_.bucket_bytes) {
      close_bucket();
    }
  }

  ReducedRange range_of(const ShardedUnit& unit, std::optional<int32_t> done) const {
    const int64_t first = unit.grad.as<float>() - weights_.grads.as<float>();
    return {first, first + unit.grad.elements(), done};
  }

  void close_bucket() {
    if (!bucket_) {
      return;
    }
    if (config_.llama.ranks > 1) {
      float* const grads = weights_.grads.as<float>() + bucket_->first;
      bucket_->done = communicate_behind_computation(
          {Collective::kAllReduce, {{kReduce, grads, grads}}, bucket_->end - bucket_->first});
    }
    ranges_.push_back(*bucket_);
    bucket_.reset();
  }

  int32_t communicate_behind_computation(CollectiveCommand command) {
    step_.stream(kReduce);
    step_.after(kCompute);
    step_.stream(kCompute);
    const bool apart = config_.communicators() > 1;
    return communicate(kReduce, apart ? kReduceCommunicator : kGatherCommunicator, std::move(command));
  }

  // On one communicator, behind the collective before, as NCCL does by itself.
  int32_t communicate(int32_t stream, int32_t communicator, CollectiveCommand command) {
    step_.stream(stream);
    if (config_.communicators() == 1 && last_ && *last_ != stream) {
      step_.after(*last_);
    }
    last_ = stream;
    command.communicator = communicator;
    step_.collective(std::move(command));
    const int32_t done = step_.record();
    step_.stream(kCompute);
    return done;
  }

  // In the order in which gradients were reduced, so that what is reduced last has the others' update to hide behind.
  void update() {
    for (const ReducedRange& range : ranges_) {
      if (range.done) {
        step_.wait(*range.done);
      }
      const auto part = [&](const Tensor& all) { return all.view(range.first, {range.end - range.first}); };
      write_llama_update(step_, memory_,
                         {part(weights_.masters), part(weights_.values), part(weights_.grads), part(weights_.first),
                          part(weights_.second)});
    }
  }

  StepWriter& step_;
  const ShardedConfig& config_;
  const ShardedWeights& weights_;
  const LlamaMemory& memory_;
  size_t layers_;
  std::vector<std::optional<int32_t>> gathered_;  // events, by unit
  std::vector<std::optional<int32_t>> reduced_;
  std::vector<std::optional<size_t>> held_;  // the layer that is in a slot
  std::vector<ReducedRange> ranges_;
  std::optional<ReducedRange> bucket_;
  std::optional<int32_t> last_;  // stream of the latest collective
};

}  // namespace

const char* name_of(ShardedStream stream) {
  switch (stream) {
    case ShardedStream::kCompute:
      return "compute";
    case ShardedStream::kGather:
      return "all-gather";
    case ShardedStream::kReduce:
      return "reduce-scatter";
  }
  return "?";
}

Result<ShardedTraining> build_sharded(Device& device, const ShardedConfig& config) {
  AACO_TRY(check_sharded_config(config));
  ShardedTraining training;
  training.config = config;
  WorkloadRequest request;
  request.devices = {&device};
  request.streams = kShardedStreams;
  request.seed = config.llama.seed;
  AACO_ASSIGN(training.instance, build_instance(kInfo, request, [&](WorkloadBuilder& builder) -> Result<void> {
                training.weights = make_sharded_weights(builder, config);
                const LlamaBuffers buffers = make_llama_buffers(builder, config.llama);
                const LlamaMemory memory{config.llama, training.weights.llama, buffers};
                builder.setup().op(kCompute, first_llama_tick(config.llama, buffers));
                StepWriter step(builder.iteration(), training.labels);
                ShardedStepWriter(step, config, training.weights, memory).write();
                training.history = buffers.history;
                training.clock = buffers.clock;
                builder.output("losses", buffers.history);
                builder.output("weights", training.weights.masters);
                builder.output("gradients", training.weights.grads);
                builder.units(static_cast<double>(config.llama.tokens()));
                return {};
              }));
  return training;
}

}  // namespace aaco
