// SPDX-License-Identifier: MIT
// A training as a process of a run has it: device open, streams made, memory filled.
#pragma once

#include <memory>
#include <vector>

#include "kind/training/document/training_run_document.h"
#include "workload/command_ranges.h"
#include "workload/dispatch.h"
#include "workload/training/llama_step.h"

namespace aaco {

struct PreparedTraining {
  Device* device = nullptr;
  LlamaTraining training;
  std::vector<std::unique_ptr<Stream>> streams;  // behind the training: they end before its memory is freed
  ProgramTarget target;
  CommandRanges ranges;  // of the step
};

// How the error begins where the device has not the memory that a training takes.
inline constexpr const char* kDoesNotFit = "the training does not fit: ";

// Opens, builds, and runs setup. Errors: the request's, the device's, and kResource that it does not fit.
Result<std::unique_ptr<PreparedTraining>> prepare_training(const std::string& device, const LlamaConfig& config);
Result<std::unique_ptr<PreparedTraining>> prepare_training(const TrainingRequest& request);

// A dispatcher of the step. Before a capture `steps_done` more steps, one, are dispatched by one thread: libraries
// choose and time their algorithms on the first call, which a capture would not allow. Whoever listens to `ranges`
// hears phases and layers.
Result<std::unique_ptr<Dispatcher>> make_step_dispatcher(PreparedTraining& prepared, DispatchMode mode,
                                                         int64_t& steps_done,
                                                         const ProfilerRanges& ranges = ProfilerRanges::of_process());

}  // namespace aaco
