// SPDX-License-Identifier: MIT
// out = in * weight + bias, and its gradients, as operations on a stream.
#pragma once

#include "workload/layers/matmul.h"
#include "workload/layers/weights.h"

namespace aaco {

struct Linear {
  Weight weight;  // [in, out]
  Weight bias;    // [out]
};

Linear take_linear(WeightBucket& bucket, int64_t in, int64_t out);

// With an epilogue that applies a function, `out` is what comes behind it.
void linear_forward(Program& program, int32_t stream, const Linear& linear, const Tensor& in, const Tensor& out,
                    Precision precision, Epilogue epilogue = Epilogue::kBias);
// Writes in_grad, or adds to it.
void linear_input_grad(Program& program, int32_t stream, const Linear& linear, const Tensor& out_grad,
                       const Tensor& in_grad, Precision precision, bool accumulate = false);
// Writes the gradients of weight and bias, or adds to them. `bias_is_zero`: that of the bias was set to 0 before, and
// needs no kernel for it.
void linear_weight_grads(Program& program, int32_t stream, const Linear& linear, const Tensor& in,
                         const Tensor& out_grad, Precision precision, bool accumulate, bool bias_is_zero = false);

// to += from, elements of the same type.
void add_to(Program& program, int32_t stream, const Tensor& to, const Tensor& from);

}  // namespace aaco
