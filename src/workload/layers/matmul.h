// SPDX-License-Identifier: MIT
// Matrix products of tensors, as the arguments of the GEMM operation.
#pragma once

#include "device/kernels/gemm.h"
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

}  // namespace aaco
