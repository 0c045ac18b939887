// SPDX-License-Identifier: MIT
// Layer norm and its gradients, as operations on a stream.
#pragma once

#include "workload/layers/weights.h"

namespace aaco {

struct Norm {
  Weight affine;  // [2, cols]: weight, bias; without data they are 1 and 0
};

// What the forward pass over some rows leaves, and these rows' part of the weights' gradients: the operation adds to
// them, so that passes that run at the same time must not share them.
struct NormState {
  Tensor out;
  Tensor mean;
  Tensor rstd;
  Tensor affine_grad;  // fp32 [2, cols]
};

Norm take_norm(WeightBucket& bucket, int64_t cols);
NormState make_norm_state(WorkloadBuilder& builder, Precision precision, int64_t rows, int64_t cols, int32_t rank = 0);

void norm_forward(Program& program, int32_t stream, const Norm& norm, const Tensor& in, const NormState& state);
// Of in + add, which is left in `sum`.
void norm_forward_of_sum(Program& program, int32_t stream, const Norm& norm, const Tensor& in, const Tensor& add,
                         const Tensor& sum, const NormState& state);
// in_grad, and the state's affine_grad where the norm has weights. `affine_is_zero`: that was set to 0 before.
void norm_backward(Program& program, int32_t stream, const Norm& norm, const Tensor& in, const NormState& state,
                   const Tensor& out_grad, const Tensor& in_grad, bool affine_is_zero = false);
// The state's part to the weights' gradients.
void norm_weight_grads(Program& program, int32_t stream, const Norm& norm, const NormState& state, bool accumulate);

}  // namespace aaco
