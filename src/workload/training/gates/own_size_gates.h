// SPDX-License-Identifier: MIT
// Gates at a run's own sizes. Which kernel an operation takes depends on its head's size, its lengths and its products'
// shapes, so that a small shape proves nothing of what a run times.
#pragma once

#include <string>
#include <vector>

#include "workload/training/gates/llama_gates.h"

namespace aaco {

// The run's heads in a model that the fp64 oracle can follow: two layers of few heads, of the run's size each, and
// sequences of two and a half tiles of 64 rows, where the run's are not shorter.
LlamaConfig own_heads_config(const LlamaConfig& config);

// The run's step with two layers: every product, attention and norm has the shape that the run has. `on_host`: one
// sequence of at most 160 tokens, since a processor takes long for more, and one kernel for every shape.
LlamaConfig own_step_config(const LlamaConfig& config, bool on_host);

// The same training by other operations in fp32: one kernel per operation, or fused where `config` is just that.
LlamaConfig reference_config(const LlamaConfig& config);
// "fp32, one kernel per operation"
std::string reference_name(const LlamaConfig& reference);

struct StepValues {
  std::vector<std::vector<float>> gradients;  // of the first step, by parameter
  std::vector<float> losses;                  // of the first steps
};

// Of the first three steps. Errors: the device's.
Result<StepValues> values_of_steps(const GateSubject& subject);

// As gradients_are_the_oracles(), of a training whose reference left `expected`, and its losses of three steps. Pure.
GateOutcome step_is_the_references(const LlamaTraining& training, const StepValues& actual, const StepValues& expected);

}  // namespace aaco
