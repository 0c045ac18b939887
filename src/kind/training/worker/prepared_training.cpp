// SPDX-License-Identifier: MIT
#include "kind/training/worker/prepared_training.h"

#include "device/backend.h"
#include "kind/training/document/training_request.h"
#include "workload/checks/verify.h"
#include "workload/training/llama_ranges.h"

namespace aaco {

Result<std::unique_ptr<PreparedTraining>> prepare_training(const std::string& device, const LlamaConfig& config) {
  auto prepared = std::make_unique<PreparedTraining>();
  AACO_ASSIGN(prepared->device, open_device(device));
  prepared->device->reset_peak();
  for (int32_t i = 0; i < llama_streams(config.fusions); ++i) {
    AACO_ASSIGN(prepared->streams.emplace_back(),
                prepared->device->make_stream(prepared->device->properties().lowest_priority));
    prepared->target.streams.push_back(prepared->streams.back().get());
    prepared->target.devices.push_back(prepared->device);
  }
  Result<LlamaTraining> built = build_llama(*prepared->device, config);
  if (!built && built.error().kind == ErrorKind::kResource) {
    return Error{ErrorKind::kResource, kDoesNotFit + built.error().message,
                 "a smaller --preset, --batch-size or --seq-len, or --precision bf16, takes less"};
  }
  AACO_ASSIGN(prepared->training, std::move(built));
  prepared->ranges = llama_ranges(prepared->training.labels);
  AACO_TRY(run_setup(*prepared->training.instance, prepared->target));
  return prepared;
}

Result<std::unique_ptr<PreparedTraining>> prepare_training(const TrainingRequest& request) {
  AACO_ASSIGN(const LlamaConfig config, llama_config_of(request));
  return prepare_training(request.device, config);
}

Result<std::unique_ptr<Dispatcher>> make_step_dispatcher(PreparedTraining& prepared, DispatchMode mode,
                                                         int64_t& steps_done, const ProfilerRanges& ranges) {
  const Program& step = prepared.training.instance->iteration;
  if (mode == DispatchMode::kGraph) {
    AACO_ASSIGN(const auto first, make_dispatcher(DispatchMode::kSingle, step, prepared.target));
    AACO_TRY(first->enqueue());
    AACO_TRY(synchronize(prepared.target));
    ++steps_done;
  }
  return make_dispatcher(mode, step, prepared.target, {&prepared.ranges, &ranges});
}

}  // namespace aaco
