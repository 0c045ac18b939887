// SPDX-License-Identifier: MIT
#include "workload/sharded/sharded_step.h"

#include "workload/sharded/communication/allreduce_stress.h"
#include "workload/sharded/communication/block_gathers.h"
#include "workload/sharded/communication/gradient_reductions.h"
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

// The passes of all micro-steps with what goes on beside them; the ranges of gradients that can be updated.
std::vector<ReducedRange> write_passes(StepWriter& step, const ShardedModel& model, int64_t micro_steps,
                                       BlockGathers& gathers, GradientReductions& reductions) {
  for (size_t micro = 0; micro < static_cast<size_t>(micro_steps); ++micro) {
    step.phase(StepPhase::kForward);
    gathers.begin(micro);
    model.write_forward(
        step, micro,
        {[&](size_t layer) { gathers.before_forward(layer); }, [&](size_t layer) { gathers.after_forward(layer); }});
    step.phase(StepPhase::kBackward);
    reductions.begin(micro);
    model.write_backward(step, micro,
                         {[&](size_t layer) {
                            gathers.before_backward(layer);
                            reductions.before_backward(layer);
                          },
                          [&](size_t layer) {
                            gathers.after_backward(layer);
                            reductions.reduce(ShardedWeights::unit_of(layer));
                          }});
    reductions.reduce(0);
    reductions.end();
  }
  return reductions.take_ranges();
}

// Of all that a rank's gradients are reduced with first: those of its shard group, else all.
CommunicateFunction communicate_behind_computation(StepWriter& step, StepCommunication& communication,
                                                   const ShardedConfig& config) {
  return [&](CollectiveCommand command) {
    step.stream(static_cast<int32_t>(ShardedStream::kReduce));
    step.after(static_cast<int32_t>(ShardedStream::kCompute));
    communication.add(config.shards() ? CommunicatorRole::kReduce : CommunicatorRole::kReplicate, std::move(command));
    const int32_t done = step.record();
    step.stream(static_cast<int32_t>(ShardedStream::kCompute));
    return done;
  };
}

}  // namespace

const char* name_of(ShardedStream stream) {
  switch (stream) {
    case ShardedStream::kCompute:
      return "compute";
    case ShardedStream::kGather:
      return "all-gather";
    case ShardedStream::kReduce:
      return "reduce-scatter";
    case ShardedStream::kReplicate:
      return "all-reduce";
    case ShardedStream::kCopy:
      return "copy";
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
  AACO_ASSIGN(
      training.instance, build_instance(kInfo, request, [&](WorkloadBuilder& builder) -> Result<void> {
        if (config.registers_memory) {
          builder.use_collective_memory();
        }
        training.weights = make_sharded_weights(builder, config);
        const std::unique_ptr<ShardedModel> model = make_model(builder, config, training.weights);
        const LlamaMemory& memory = model->memory();
        ShardedUpdate update(builder, config, training.weights, memory);
        const AllreduceStress stress(builder, config);
        const auto communicators = static_cast<int64_t>(communicator_ranks(config).size());
        if (config.watched && communicators > 0) {
          training.progress = builder.pinned(Dtype::kI32, {2 * communicators});
        }
        training.source = model->source();
        training.slots =
            make_batch_slots(builder, training.source, model->batch(), static_cast<int32_t>(ShardedStream::kCompute));
        StepWriter step(builder.iteration(), training.labels);
        write_batch_copies(step, training.slots, static_cast<int32_t>(ShardedStream::kCopy));
        StepCommunication communication(step, config, training.progress);
        BlockGathers gathers(step, communication, config, training.weights);
        GradientReductions reductions(builder, step, communication, config, training.weights);
        training.on_link = reductions.arrays();
        const std::vector<ReducedRange> ranges = write_passes(step, *model, config.micro_steps, gathers, reductions);
        const CommunicateFunction communicate = communicate_behind_computation(step, communication, config);
        update.write(
            step, ranges, [&](const ReducedRange& range) { gathers.gather_for_next_step(range.first); }, communicate);
        stress.write(step, memory.buffers.history, communicate);
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
