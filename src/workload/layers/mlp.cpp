// SPDX-License-Identifier: MIT
#include "workload/layers/mlp.h"

namespace aaco {

Mlp take_mlp(WeightBucket& bucket, int64_t cols, int64_t hidden, UnaryOp activation, bool affine) {
  Mlp mlp;
  if (affine) {
    mlp.norm = take_norm(bucket, cols);
  }
  mlp.up = take_linear(bucket, cols, hidden);
  mlp.down = take_linear(bucket, hidden, cols);
  mlp.activation = activation;
  return mlp;
}

MlpState make_mlp_state(WorkloadBuilder& builder, Precision precision, const Mlp& mlp, int64_t rows, int32_t rank) {
  MlpState state;
  const int64_t cols = mlp.down.weight.value.cols();
  const int64_t hidden = mlp.up.weight.value.cols();
  state.norm = make_norm_state(builder, precision, rows, cols, rank);
  state.active = builder.tensor(precision.dtype, {rows, hidden}, rank);
  state.hidden =
      mlp.activation == UnaryOp::kRelu ? state.active : builder.tensor(precision.dtype, {rows, hidden}, rank);
  state.out = builder.tensor(precision.dtype, {rows, cols}, rank);
  return state;
}

MlpGrads make_mlp_grads(WorkloadBuilder& builder, Precision precision, const Mlp& mlp, int64_t rows, int32_t rank) {
  MlpGrads grads;
  const int64_t cols = mlp.down.weight.value.cols();
  grads.hidden = builder.tensor(precision.dtype, {rows, mlp.up.weight.value.cols()}, rank);
  grads.normed = builder.tensor(precision.dtype, {rows, cols}, rank);
  grads.in = builder.tensor(precision.dtype, {rows, cols}, rank);
  return grads;
}

void mlp_forward(Program& program, int32_t stream, const Mlp& mlp, const Tensor& in, const MlpState& state,
                 Precision precision) {
  norm_forward(program, stream, mlp.norm, in, state.norm);
  if (mlp.activation == UnaryOp::kRelu) {
    linear_forward(program, stream, mlp.up, state.norm.out, state.active, precision, Epilogue::kBiasRelu);
  } else {
    linear_forward(program, stream, mlp.up, state.norm.out, state.hidden, precision);
    UnaryArgs activate{state.hidden.data, state.active.data, state.hidden.elements(), mlp.activation};
    activate.in_dtype = state.hidden.dtype;
    activate.out_dtype = state.active.dtype;
    program.op(stream, activate);
  }
  linear_forward(program, stream, mlp.down, state.active, state.out, precision);
  add_to(program, stream, state.out, in);
}

void mlp_backward(Program& program, int32_t stream, const Mlp& mlp, const Tensor& in, const MlpState& state,
                  const Tensor& out_grad, const MlpGrads& grads, Precision precision) {
  linear_input_grad(program, stream, mlp.down, out_grad, grads.hidden, precision);
  program.op(stream, UnaryGradArgs{state.hidden.data, grads.hidden.data, grads.hidden.data, grads.hidden.elements(),
                                   mlp.activation, grads.hidden.dtype});
  linear_input_grad(program, stream, mlp.up, grads.hidden, grads.normed, precision);
  norm_backward(program, stream, mlp.norm, in, state.norm, grads.normed, grads.in);
  add_to(program, stream, grads.in, out_grad);
}

void mlp_weight_grads(Program& program, int32_t stream, const Mlp& mlp, const MlpState& state, const Tensor& out_grad,
                      const MlpGrads& grads, Precision precision, bool accumulate) {
  linear_weight_grads(program, stream, mlp.down, state.active, out_grad, precision, accumulate);
  linear_weight_grads(program, stream, mlp.up, state.norm.out, grads.hidden, precision, accumulate);
  norm_weight_grads(program, stream, mlp.norm, state.norm, accumulate);
}

}  // namespace aaco
