// SPDX-License-Identifier: MIT
#include "workload/layers/norm.h"

#include "workload/layers/linear.h"

namespace aaco {

namespace {

// The second row of `affine`, where there is one.
void* bias_of(const Tensor& affine) { return affine.data == nullptr ? nullptr : affine.view(affine.cols(), {1}).data; }

}  // namespace

Norm take_norm(WeightBucket& bucket, int64_t cols) {
  Norm norm;
  norm.affine = bucket.take({2, cols});
  if (norm.affine.value.data != nullptr) {
    bucket.fill(norm.affine.part(0, {cols}), 1);
    bucket.fill(norm.affine.part(cols, {cols}), 0);
  }
  return norm;
}

NormState make_norm_state(WorkloadBuilder& builder, Precision precision, int64_t rows, int64_t cols, int32_t rank) {
  NormState state;
  state.out = builder.tensor(precision.dtype, {rows, cols}, rank);
  state.mean = builder.tensor(Dtype::kF32, {rows}, rank);
  state.rstd = builder.tensor(Dtype::kF32, {rows}, rank);
  state.affine_grad = builder.tensor(Dtype::kF32, {2, cols}, rank);
  return state;
}

namespace {

NormArgs forward_args(const Norm& norm, const Tensor& in, const NormState& state) {
  NormArgs args;
  args.in = in.data;
  args.weight = norm.affine.value.data;
  args.bias = bias_of(norm.affine.value);
  args.out = state.out.data;
  args.mean = state.mean.as<float>();
  args.rstd = state.rstd.as<float>();
  args.rows = in.rows();
  args.cols = in.cols();
  args.dtype = in.dtype;
  return args;
}

}  // namespace

void norm_forward(Program& program, int32_t stream, const Norm& norm, const Tensor& in, const NormState& state) {
  program.op(stream, forward_args(norm, in, state));
}

void norm_forward_of_sum(Program& program, int32_t stream, const Norm& norm, const Tensor& in, const Tensor& add,
                         const Tensor& sum, const NormState& state) {
  NormArgs args = forward_args(norm, in, state);
  args.add = add.data;
  args.sum = sum.data;
  program.op(stream, args);
}

void norm_backward(Program& program, int32_t stream, const Norm& norm, const Tensor& in, const NormState& state,
                   const Tensor& out_grad, const Tensor& in_grad, bool affine_is_zero) {
  NormGradArgs args;
  args.in = in.data;
  args.weight = norm.affine.value.data;
  args.mean = state.mean.as<float>();
  args.rstd = state.rstd.as<float>();
  args.out_grad = out_grad.data;
  args.in_grad = in_grad.data;
  args.rows = in.rows();
  args.cols = in.cols();
  args.dtype = in.dtype;
  if (norm.affine.value.data != nullptr) {
    if (!affine_is_zero) {
      program.set(stream, state.affine_grad.data, 0, static_cast<size_t>(state.affine_grad.bytes()));
    }
    args.weight_grad = state.affine_grad.as<float>();
    args.bias_grad = static_cast<float*>(bias_of(state.affine_grad));
  }
  program.op(stream, args);
}

void norm_weight_grads(Program& program, int32_t stream, const Norm& norm, const NormState& state, bool accumulate) {
  if (norm.affine.value.data == nullptr) {
    return;
  }
  if (accumulate) {
    add_to(program, stream, norm.affine.grad, state.affine_grad);
  } else {
    program.copy(stream, norm.affine.grad.data, state.affine_grad.data, static_cast<size_t>(state.affine_grad.bytes()));
  }
}

}  // namespace aaco
