// SPDX-License-Identifier: MIT
// Matrix products of tensors, as the arguments of the GEMM operation.
#pragma once

#include "device/ops/gemm.h"
#include "workload/parameters.h"
#include "workload/tensor.h"

namespace aaco {

// c[m, n] = a[m, k] * b[k, n], row-major, of the precision given.
inline GemmArgs matmul(const Tensor& a, const Tensor& b, const Tensor& c, Precision precision) {
  GemmArgs args;
  args.a = a.data;
  args.b = b.data;
  args.c = c.data;
  args.m = a.rows();
  args.n = b.cols();
  args.k = a.cols();
  args.lda = args.k;
  args.ldb = args.n;
  args.ldc = args.n;
  args.in_dtype = a.dtype;
  args.out_dtype = c.dtype;
  args.math = precision.math;
  return args;
}

// c[m, n] = a^T b with a[k, m] and b[k, n]: the gradient of a weight from its input and its output's gradient.
inline GemmArgs matmul_transposed_a(const Tensor& a, const Tensor& b, const Tensor& c, Precision precision) {
  GemmArgs args = matmul(a, b, c, precision);
  args.m = a.cols();
  args.k = a.rows();
  args.lda = args.m;
  args.transpose_a = 1;
  return args;
}

// c[m, n] = a b^T with a[m, k] and b[n, k]: the gradient of an input from a weight and its output's gradient.
inline GemmArgs matmul_transposed_b(const Tensor& a, const Tensor& b, const Tensor& c, Precision precision) {
  GemmArgs args = matmul(a, b, c, precision);
  args.n = b.rows();
  args.ldb = args.k;
  args.ldc = args.n;
  args.transpose_b = 1;
  return args;
}

}  // namespace aaco
