// SPDX-License-Identifier: MIT
// Products with weights that are stored [out, in], and their gradients.
#pragma once

#include "workload/layers/matmul.h"
#include "workload/layers/weights.h"
#include "workload/training/step_writer.h"

namespace aaco {

// out [rows, out] = in [rows, in] * weight^T.
inline void write_product(StepWriter& step, const Tensor& in, const Weight& weight, const Tensor& out,
                          Precision precision) {
  step.op(StepPart::kProducts, matmul_transposed_b(in, weight.value, out, precision));
}

// in_grad = out_grad * weight.
inline void write_input_grad(StepWriter& step, const Tensor& out_grad, const Weight& weight, const Tensor& in_grad,
                             Precision precision) {
  step.op(StepPart::kProducts, matmul(out_grad, weight.value, in_grad, precision));
}

// The weight's gradient = out_grad^T * in.
inline void write_weight_grad(StepWriter& step, const Tensor& out_grad, const Tensor& in, const Weight& weight,
                              Precision precision) {
  step.op(StepPart::kProducts, matmul_transposed_a(out_grad, in, weight.grad, precision));
}

// to = a + b, elements of the same type.
inline void write_sum(StepWriter& step, StepPart part, const Tensor& a, const Tensor& b, const Tensor& to) {
  BinaryArgs args{a.data, b.data, to.data, to.elements(), to.elements()};
  args.dtype = to.dtype;
  step.op(part, args);
}

}  // namespace aaco
