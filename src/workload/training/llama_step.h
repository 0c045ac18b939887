// SPDX-License-Identifier: MIT
// One training step of the Tiny LLaMA as a program: forward, backward, AdamW. Built once; step number, learning rate,
// index of the batch and the losses lie in device memory, so that the same program, captured or not, is every step.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "workload/training/llama_config.h"
#include "workload/training/llama_weights.h"
#include "workload/training/step_writer.h"
#include "workload/workload.h"

namespace aaco {

struct LlamaTraining {
  LlamaConfig config;
  std::unique_ptr<WorkloadInstance> instance;  // setup: weights, data, the clock at step 1; iteration: a step
  LlamaWeights weights;
  std::vector<StepLabel> labels;  // of each command of the iteration
  Tensor inputs;                  // int32 [sequences, length], of the last step
  Tensor targets;
  Tensor history;  // fp32 [steps]: the loss of step s at (s - 1) % steps, before its update
};

// Streams that the step uses: 2 where work is done beside the backward pass.
int32_t llama_streams(const LlamaFusions& fusions);

// Errors: kUsage of the configuration; kResource where memory does not suffice.
Result<LlamaTraining> build_llama(Device& device, const LlamaConfig& config);

// Of each parameter, in the order of weights.named: as the last step left them.
Result<std::vector<std::vector<float>>> read_gradients(const LlamaTraining& training, DeviceReader& reader);
Result<std::vector<std::vector<float>>> read_masters(const LlamaTraining& training, DeviceReader& reader);

}  // namespace aaco
