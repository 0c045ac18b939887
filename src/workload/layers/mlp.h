// SPDX-License-Identifier: MIT
// Two linear layers with a function between them, and the block that transformers make of it: out = in + mlp(norm(in)).
#pragma once

#include "workload/layers/linear.h"
#include "workload/layers/norm.h"

namespace aaco {

struct Mlp {
  Norm norm;
  Linear up;
  Linear down;
  UnaryOp activation = UnaryOp::kGelu;  // or kRelu
};

// What a forward pass over some rows leaves for the backward pass.
struct MlpState {
  NormState norm;
  Tensor hidden;  // before the function; with kRelu not kept: its derivative is told from what comes behind it
  Tensor active;  // behind it
  Tensor out;
};

// Gradients by the place they are at. The weights' gradients read `hidden` and the block's out_grad.
struct MlpGrads {
  Tensor hidden;
  Tensor normed;
  Tensor in;
};

// `affine`: the norm has weights.
Mlp take_mlp(WeightBucket& bucket, int64_t cols, int64_t hidden, UnaryOp activation, bool affine = true);
// `cols` and `hidden` of the layer, `rows` of the pass.
MlpState make_mlp_state(WorkloadBuilder& builder, Precision precision, const Mlp& mlp, int64_t rows, int32_t rank = 0);
MlpGrads make_mlp_grads(WorkloadBuilder& builder, Precision precision, const Mlp& mlp, int64_t rows, int32_t rank = 0);

void mlp_forward(Program& program, int32_t stream, const Mlp& mlp, const Tensor& in, const MlpState& state,
                 Precision precision);
// From out_grad to grads.in.
void mlp_backward(Program& program, int32_t stream, const Mlp& mlp, const Tensor& in, const MlpState& state,
                  const Tensor& out_grad, const MlpGrads& grads, Precision precision);
// May be on another stream, after the backward pass.
void mlp_weight_grads(Program& program, int32_t stream, const Mlp& mlp, const MlpState& state, const Tensor& out_grad,
                      const MlpGrads& grads, Precision precision, bool accumulate);

}  // namespace aaco
