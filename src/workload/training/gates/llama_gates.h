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
  std::string observed;
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

// How far gradients and losses may be from exact ones, relative, in 2-norms. Roundings of a step are independent of
// each other nearly, so that the error of n of them grows as sqrt(n) u and not as n u (Higham and Mary, A new approach
// to probabilistic rounding error analysis, SIAM J. Sci. Comput. 41, 2019); u: 2^-24 in fp32, 2^-11 of a factor in
// tf32, 2^-9 in bf16. On its way through two layers and back a gradient's values are rounded some 60 times (some 20 of
// them in factors of products): 2^-9 sqrt(60) = 1.5e-2, and 2^-11 sqrt(20) = 2.2e-3, of which the rms is 1 /
// sqrt(3): 1.3e-3. In fp32 sums of up to 8192 terms come first: 2^-24 sqrt(60 * 8192) = 4e-5.
double gradient_tolerance(const LlamaConfig& config);

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
LlamaConfig oracle_config(const LlamaConfig& config, bool ragged);

}  // namespace aaco
