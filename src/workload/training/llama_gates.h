// SPDX-License-Identifier: MIT
// What must hold of a training step before its speed means anything. Each gate runs a step on the device and judges
// what it left; none looks at times.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "workload/dispatch.h"
#include "workload/training/llama_step.h"

namespace aaco {

struct GateOutcome {
  bool passed = false;
  std::string found;
  std::string must;
};

// A training that was just built and set up, and what runs its steps on the device.
struct GateSubject {
  const LlamaTraining& training;
  std::function<Result<void>(int64_t steps)> train;  // as a run's measured steps are dispatched
  DeviceReader& reader;
};

// After one step every parameter has a gradient that is finite and not zero.
Result<GateOutcome> every_parameter_has_a_gradient(const GateSubject& subject);

// After one step: the largest over parameters of |gradient - oracle| / |oracle| (2-norms), and the loss; at most 1e-4
// in fp32, 2e-3 with products in tf32 (10 bits of mantissa), 2e-2 in bf16. The model must be small: the oracle is slow.
Result<GateOutcome> gradients_are_the_oracles(const GateSubject& subject);

// After config.steps steps: losses against those of the same steps by the oracle, which starts from the same weights
// and is given the same tokens; and that they fall by a tenth at least: of data that can be learnt.
Result<GateOutcome> losses_are_the_oracles(const GateSubject& subject);

// FLOPs of the backward pass's products over the forward pass's: 1.9 to 2.1; attention 1.9 to 3 (a fused one computes
// its scores again).
GateOutcome backward_is_twice_forward(const LlamaTraining& training);

// What `allocated` bytes of the device hold is what the closed form says, within 2 %.
GateOutcome memory_is_as_computed(const LlamaConfig& config, int64_t allocated);

// The small shapes that the oracle is asked about: an even one, and one where nothing divides evenly. Data, rate and
// decay are the gates' own.
LlamaConfig oracle_config(const LlamaConfig& of, bool ragged);

}  // namespace aaco
