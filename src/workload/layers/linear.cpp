// SPDX-License-Identifier: MIT
#include "workload/layers/linear.h"

namespace aaco {

Linear take_linear(WeightBucket& bucket, int64_t in, int64_t out) {
  Linear linear;
  linear.weight = bucket.take({in, out});
  linear.bias = bucket.take({out});
  return linear;
}

void linear_forward(Program& program, int32_t stream, const Linear& linear, const Tensor& in, const Tensor& out,
                    Precision precision, Epilogue epilogue) {
  GemmArgs args = matmul(in, linear.weight.value, out, precision);
  args.bias = linear.bias.value.data;
  args.epilogue = epilogue;
  program.op(stream, args);
}

void linear_input_grad(Program& program, int32_t stream, const Linear& linear, const Tensor& out_grad,
                       const Tensor& in_grad, Precision precision, bool accumulate) {
  GemmArgs args = matmul_transposed_b(out_grad, linear.weight.value, in_grad, precision);
  args.beta = accumulate ? 1 : 0;
  program.op(stream, args);
}

void linear_weight_grads(Program& program, int32_t stream, const Linear& linear, const Tensor& in,
                         const Tensor& out_grad, Precision precision, bool accumulate, bool bias_is_zero) {
  GemmArgs args = matmul_transposed_a(in, out_grad, linear.weight.grad, precision);
  args.beta = accumulate ? 1 : 0;
  program.op(stream, args);
  ReduceArgs sum;
  sum.in = out_grad.data;
  sum.out = linear.bias.grad.data;
  sum.rows = out_grad.rows();
  sum.cols = out_grad.cols();
  sum.axis = ReduceAxis::kAlongColumn;
  sum.in_dtype = out_grad.dtype;
  sum.accumulate = accumulate || bias_is_zero ? 1 : 0;
  program.op(stream, sum);
}

void add_to(Program& program, int32_t stream, const Tensor& to, const Tensor& from) {
  BinaryArgs args{to.data, from.data, to.data, to.elements(), to.elements()};
  args.dtype = to.dtype;
  program.op(stream, args);
}

}  // namespace aaco
