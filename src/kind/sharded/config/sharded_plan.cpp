// SPDX-License-Identifier: MIT
#include "kind/sharded/config/sharded_plan.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "kind/sharded/config/planned_device.h"
#include "kind/sharded/config/sharded_request.h"
#include "workload/sharded/communication/communicator_ranks.h"
#include "workload/sharded/sharded_step.h"
#include "workload/training/llama_weights.h"

namespace aaco::sharded {

namespace {

// dense and categorical inputs to columns, encoder layers with biases and two norms each, a norm, a head of two layers.
int64_t ranking_parameters(const ModelConfig& model) {
  const int64_t columns = model.model_dim;
  const int64_t inner = model.mlp_hidden_dim;
  const int64_t inputs = model.vocab_size * model.embedding_dim +
                         (model.num_dense_features * model.dense_dim + 1) * columns +
                         (model.embedding_dim + 1) * columns;
  const int64_t layer = 4 * columns * columns + 2 * columns * inner + 9 * columns + inner;
  const int64_t head = 2 * columns + (columns + 1) * inner + inner + 1;
  return inputs + model.num_layers * layer + head;
}

LlamaShape shape_of(const ModelConfig& model) {
  return {.vocabulary = model.vocab_size,
          .hidden = model.model_dim,
          .layers = model.num_layers,
          .heads = model.num_heads,
          .kv_heads = model.num_kv_heads,
          .inner = model.mlp_hidden_dim,
          .tie_head = model.tie_head};
}

// An array may have several names; it is counted once.
class ArrayBytes {
 public:
  int64_t of(const Tensor& tensor) {
    return tensor.data != nullptr && counted_.insert(tensor.data).second ? tensor.bytes() : 0;
  }

 private:
  std::set<const void*> counted_;
};

PlannedMemory memory_of(const ShardedTraining& training, const PlannedDevice& device) {
  const ShardedWeights& weights = training.weights;
  ArrayBytes arrays;
  PlannedMemory memory;
  memory.weights = arrays.of(weights.masters) + arrays.of(weights.values);
  memory.gradients = arrays.of(weights.grads);
  memory.optimizer = arrays.of(weights.first) + arrays.of(weights.second);
  if (training.config.shards()) {
    for (const ShardedUnit& unit : weights.units) {
      memory.gathered += arrays.of(unit.whole_value) + arrays.of(unit.whole_grad);
    }
  }
  for (const Tensor& tensor : training.on_link) {
    memory.on_link += arrays.of(tensor);
  }
  const MemoryUse use = device.memory_use();
  memory.rest = use.allocated_bytes - memory.total();
  memory.pinned = use.pinned_bytes;
  return memory;
}

// Of the library's counts, what nccl-tests calls a call's size: the whole that is gathered or scattered.
int64_t whole_bytes(const CollectiveCommand& command) {
  const bool by_part = command.collective == Collective::kAllGather ||
                       command.collective == Collective::kReduceScatter || command.collective == Collective::kAllToAll;
  return command.count * size_of(command.dtype) * (by_part ? command.group_ranks : 1);
}

std::vector<PlannedCollective> collectives_of(const Program& step) {
  std::vector<PlannedCollective> planned;
  for (const CollectiveCommand& command : step.collectives()) {
    PlannedCollective one;
    one.operation = name_of(command.collective);
    one.stream = name_of(static_cast<ShardedStream>(command.ranks.front().stream));
    one.communicator = command.communicator;
    one.ranks = command.group_ranks;
    one.element = name_of(command.dtype);
    one.calls = 1;
    one.bytes = whole_bytes(command);
    one.bus_bytes = bus_bytes(command.collective, command.count, command.dtype, command.group_ranks);
    const auto same = std::find_if(planned.begin(), planned.end(), [&](const PlannedCollective& other) {
      return other.operation == one.operation && other.bytes == one.bytes && other.element == one.element &&
             other.communicator == one.communicator;
    });
    if (same == planned.end()) {
      planned.push_back(std::move(one));
    } else {
      ++same->calls;
    }
  }
  return planned;
}

Result<PlannedProgram> program_of(const ShardedConfig& sharded, const std::string& first_device) {
  PlannedDevice device(first_device);
  AACO_ASSIGN(const ShardedTraining training, build_sharded(device, sharded));
  const Program& step = training.instance->iteration;
  return PlannedProgram{.kernels = step.kernels(),
                        .flops = step.flops(),
                        .streams = step.used_streams(),
                        .communicators = static_cast<int32_t>(communicator_ranks(sharded).size()),
                        .memory = memory_of(training, device),
                        .collectives = collectives_of(step)};
}

}  // namespace

int64_t parameter_count(const ModelConfig& model) {
  return model.kind == ModelKind::kRanking ? ranking_parameters(model) : llama_parameter_count(shape_of(model));
}

// PyTorch calls RCCL nccl.
Result<void> check_library(const ShardedRunConfig& config, const std::vector<std::string>& devices) {
  const CollectiveLibrary library = config.distributed.backend;
  const std::string kind = devices.front().substr(0, devices.front().find(':'));
  const bool fits = library == CollectiveLibrary::kAuto || (kind == "cpu" && library == CollectiveLibrary::kCpu) ||
                    (kind != "cpu" && library == CollectiveLibrary::kNccl) ||
                    (kind == "hip" && library == CollectiveLibrary::kRccl);
  if (!fits) {
    return Error{ErrorKind::kUsage,
                 fmt::format("distributed.backend {}: {} has none of that library", word_of(library), kind),
                 "--override distributed.backend=auto"};
  }
  if (kind == "cpu" && config.distributed.collectives != CollectivePath::kKernel) {
    return Error{ErrorKind::kUsage,
                 fmt::format("distributed.collectives {}: collectives between CPU devices have one way, kernel",
                             word_of(config.distributed.collectives)),
                 "--override distributed.collectives=kernel"};
  }
  if (config.distributed.require_collectives && !config.profiling.enabled) {
    return Error{ErrorKind::kUsage, "distributed.require_collectives: which way was taken, the devices' records tell",
                 "--override profiling.enabled=true"};
  }
  return {};
}

Result<ShardedPlan> plan_sharded(const ConfigReading& reading, const std::vector<std::string>& devices,
                                 std::optional<int32_t> node_ranks) {
  ShardedRunConfig config = reading.config;
  ShardedPlan plan;
  plan.notes = reading.notes;
  choose_capture(config, devices, plan.notes);
  const auto ranks = static_cast<int64_t>(devices.size());
  RankPlace place;
  place.ranks = static_cast<int32_t>(devices.size());
  place.local_ranks = node_ranks.value_or(place.ranks);
  AACO_ASSIGN(const ShardedConfig sharded, sharded_config_of(config, place));
  plan.devices = devices;
  plan.model = word_of(config.model.kind);
  plan.mode = config.distributed.mode == ParallelMode::kDdp
                  ? fmt::format("ddp, buckets of {:g} MiB", config.distributed.bucket_cap_mb)
                  : mode_text(config, sharded);
  plan.dispatch = word_of(dispatch_of(config));
  plan.parameters = parameter_count(config.model);
  plan.shard_parameters = (plan.parameters + sharded.shard_ranks() - 1) / sharded.shard_ranks();
  AACO_ASSIGN(plan.steps, steps_of(config, ranks));
  plan.tokens =
      config.training.batch_size * config.training.gradient_accumulation * ranks * config.dataset.sequence_length;
  for (std::string& note : sharding_notes(config, sharded)) {
    plan.notes.push_back(std::move(note));
  }
  AACO_ASSIGN(plan.program, program_of(sharded, devices.front()));
  return plan;
}

}  // namespace aaco::sharded
