// SPDX-License-Identifier: MIT
#include "workload/sharded/sharded_step.h"

#include <array>
#include <optional>

#include "workload/sharded/sharded_update.h"
#include "workload/training/llama_passes.h"

namespace aaco {

namespace {

constexpr WorkloadInfo kInfo{.id = "sharded training",
                             .alias = "",
                             .priority = "",
                             .category = "training",
                             .unit = "tokens",
                             .summary = "A training step, spread over ranks",
                             .about = "",
                             .recommended_streams = kShardedStreams,
                             .switch_sensitivity = "low",
                             .parameters = {},
                             .test_parameters = {},
                             .build = nullptr};

constexpr auto kCompute = static_cast<int32_t>(ShardedStream::kCompute);
constexpr auto kGather = static_cast<int32_t>(ShardedStream::kGather);
constexpr auto kReduce = static_cast<int32_t>(ShardedStream::kReduce);

CollectiveCommand gather_of(const ShardedUnit& unit) {
  return {Collective::kAllGather,
          {{kGather, unit.value.data, unit.whole_value.data}},
          unit.value.elements(),
          unit.value.dtype,
          kGatherCommunicator};
}

// What a step finds gathered: the root, and as many layers as are gathered ahead.
std::vector<size_t> first_units(const ShardedConfig& config, const ShardedWeights& weights) {
  std::vector<size_t> units;
  for (size_t unit = 0; config.shards() && unit <= static_cast<size_t>(config.prefetch) && unit <= weights.layers();
       ++unit) {
    units.push_back(unit);
  }
  return units;
}

// Into a program of its own, behind what it has.
void write_first_gathers(const ShardedConfig& config, const ShardedWeights& weights, Program& program) {
  const std::vector<size_t> units = first_units(config, weights);
  if (!units.empty()) {
    program.after(kGather, kCompute);
  }
  for (const size_t unit : units) {
    program.collective(gather_of(weights.units[unit]));
  }
}

class ShardedStepWriter {
 public:
  ShardedStepWriter(StepWriter& step, const ShardedConfig& config, const ShardedWeights& weights,
                    const ShardedModel& model, const Tensor& progress)
      : step_(step),
        config_(config),
        weights_(weights),
        model_(model),
        progress_(progress),
        layers_(weights.layers()),
        gathered_(weights.units.size()),
        reduced_(weights.units.size()),
        held_(weights.value_slots) {
    for (const size_t unit : first_units(config, weights)) {
      if (unit > 0) {
        hold(unit - 1);
      }
    }
  }

  // All but the clock. The ranges of gradients that can be updated, each behind its event.
  std::vector<ReducedRange> write() {
    for (micro_ = 0; micro_ < micros(); ++micro_) {
      write_passes();
    }
    close_bucket();
    return std::move(ranges_);
  }

  // For the next step, behind the update of the unit that begins at element `first`, if it is one of the first.
  void gather_for_next_step(int64_t first) {
    for (const size_t unit : first_units(config_, weights_)) {
      if (range_of(weights_.units[unit], {}).first == first) {
        gather_behind_computation();
        gather(unit);
      }
    }
  }

 private:
  size_t micros() const { return static_cast<size_t>(config_.micro_steps); }

  void write_passes() {
    step_.phase(StepPhase::kForward);
    begin();
    model_.write_forward(step_, micro_, {[this](size_t layer) { before_forward(layer); }, [](size_t) {}});
    step_.phase(StepPhase::kBackward);
    before_gradients_of_root();
    model_.write_backward(
        step_, micro_,
        {[this](size_t layer) { before_backward(layer); }, [this](size_t layer) { reduce_layer(layer); }});
    reduce(0);
  }

  // What the first layers need was gathered at the end of the step before. The root is whole until the step's end, and
  // so are layers that are kept.
  void begin() {
    if (!config_.shards()) {
      return;
    }
    if (micro_ == 0) {
      step_.after(kGather);
      return;
    }
    gather_behind_computation();
    for (size_t layer = 0; layer < ahead() && layer < layers_; ++layer) {
      if (!holds(layer)) {
        gather_layer(layer);
      }
    }
  }

  // They are written where those of the micro-step before are reduced from.
  void before_gradients_of_root() {
    if (config_.shards() && micro_ > 0) {
      step_.wait(*reduced_[0]);
      for (size_t layer = layers_ - std::min(layers_, weights_.grad_slots); layer < layers_; ++layer) {
        step_.wait(*reduced_[ShardedWeights::unit_of(layer % weights_.grad_slots)]);
      }
    }
  }

  void before_forward(size_t layer) {
    if (config_.shards()) {
      if (layer + ahead() < layers_ && !holds(layer + ahead())) {
        gather_behind_computation();
        gather_layer(layer + ahead());
      }
      wait_for_gather(layer);
    }
  }

  // Of those of the step before nothing is waited for: it was when this one began.
  void wait_for_gather(size_t layer) {
    if (const auto& gathered = gathered_[ShardedWeights::unit_of(layer)]) {
      step_.wait(*gathered);
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
    wait_for_gather(layer);
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

  void hold(size_t layer) { held_[layer % held_.size()] = layer; }

  void gather_layer(size_t layer) {
    hold(layer);
    gather(ShardedWeights::unit_of(layer));
  }

  void gather(size_t number) {
    gathered_[number] = communicate(kGather, kGatherCommunicator, gather_of(weights_.units[number]));
  }

  void reduce_layer(size_t layer) { reduce(ShardedWeights::unit_of(layer)); }

  // Its gradients of this micro-step are all there.
  void reduce(size_t number) {
    const ShardedUnit& unit = weights_.units[number];
    if (config_.shards()) {
      reduce_scatter(number);
      return;
    }
    add_up(unit);
    if (!is_last_micro()) {
      return;
    }
    const ReducedRange range = range_of(unit, std::nullopt);
    bucket_ = bucket_ ? ReducedRange{range.first, bucket_->end, {}} : range;  // units come from the last to the first
    if ((bucket_->end - bucket_->first) * size_of(Dtype::kF32) >= config_.bucket_bytes) {
      close_bucket();
    }
  }

  bool is_last_micro() const { return micro_ + 1 == micros(); }

  void reduce_scatter(size_t number) {
    const ShardedUnit& unit = weights_.units[number];
    const int64_t elements = unit.grad.elements();
    const Tensor& to = micro_ == 0 ? unit.grad : weights_.incoming;
    reduced_[number] = communicate_behind_computation(
        {Collective::kReduceScatter, {{kReduce, unit.whole_grad.data, to.data}}, elements});
    if (micro_ > 0) {
      step_.stream(kReduce);
      step_.op(StepPart::kUpdate, BinaryArgs{unit.grad.data, to.data, unit.grad.data, elements, elements});
      reduced_[number] = step_.record();
      step_.stream(kCompute);
    }
    if (is_last_micro()) {
      ranges_.push_back(range_of(unit, reduced_[number]));
    }
  }

  void add_up(const ShardedUnit& unit) {
    if (micros() == 1) {
      return;  // they were made where they are needed
    }
    if (micro_ == 0) {
      step_.copy(unit.grad.data, unit.whole_grad.data, static_cast<size_t>(unit.grad.bytes()));
      return;
    }
    const int64_t elements = unit.grad.elements();
    step_.op(StepPart::kUpdate, BinaryArgs{unit.grad.data, unit.whole_grad.data, unit.grad.data, elements, elements});
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
    ++counts_[static_cast<size_t>(communicator)];
    mark(communicator, &ProgressWords::begun);
    step_.collective(std::move(command));
    mark(communicator, &ProgressWords::done);
    const int32_t done = step_.record();
    step_.stream(kCompute);
    return done;
  }

  void mark(int32_t communicator, int32_t ProgressWords::* word) {
    if (progress_.data != nullptr) {
      ProgressWords& words = progress_.as<ProgressWords>()[communicator];
      step_.op(
          StepPart::kCommunication,
          FillArgs{&(words.*word), 1, static_cast<double>(counts_[static_cast<size_t>(communicator)]), Dtype::kI32});
    }
  }

  StepWriter& step_;
  const ShardedConfig& config_;
  const ShardedWeights& weights_;
  const ShardedModel& model_;
  const Tensor& progress_;
  std::array<int32_t, 2> counts_{};  // of collectives, by communicator
  size_t micro_ = 0;
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
                if (config.registers_memory) {
                  builder.use_collective_memory();
                }
                training.weights = make_sharded_weights(builder, config);
                const std::unique_ptr<ShardedModel> model = make_model(builder, config, training.weights);
                const LlamaMemory& memory = model->memory();
                ShardedUpdate update(builder, config, training.weights, memory);
                if (config.watched && config.communicators() > 0) {
                  training.progress = builder.pinned(Dtype::kI32, {2 * config.communicators()});
                }
                StepWriter step(builder.iteration(), training.labels);
                ShardedStepWriter writer(step, config, training.weights, *model, training.progress);
                const std::vector<ReducedRange> ranges = writer.write();
                update.write(step, ranges,
                             [&](const ReducedRange& range) { writer.gather_for_next_step(range.first); });
                write_first_gathers(config, training.weights, builder.setup());
                write_first_gathers(config, training.weights, training.first_gathers);
                training.history = memory.buffers.history;
                training.clock = memory.buffers.clock;
                builder.output("losses", training.history);
                builder.output("weights", training.weights.masters);
                builder.output("gradients", training.weights.grads);
                builder.units(static_cast<double>(config.llama.tokens() * config.micro_steps));
                return {};
              }));
  return training;
}

}  // namespace aaco
