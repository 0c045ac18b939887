// SPDX-License-Identifier: MIT
// Matrix multiplication on the CPU: OpenBLAS, opened on first need, or our own loop where it is absent or where
// AACO_REFERENCE_GEMM=1 asks for it (OpenBLAS is not instrumented for the thread sanitizer). One thread per call:
// streams are the parallelism. Any number of threads may call; as many as OpenBLAS has buffers for multiply at once.
#pragma once

#include <cstdint>
#include <string>

namespace aaco::cpu {

// c[m, n] = alpha * op(a)[m, k] * op(b)[k, n] + beta * c, fp32, row-major; with beta 0, c is not read.
struct MatrixProduct {
  const float* a = nullptr;
  const float* b = nullptr;
  float* c = nullptr;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  int64_t lda = 0;
  int64_t ldb = 0;
  int64_t ldc = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  float alpha = 1;
  float beta = 0;
};

void multiply(const MatrixProduct& product);
// Ours, whatever is installed: what the other is checked against.
void multiply_by_reference(const MatrixProduct& product);

// "OpenBLAS 0.3.21", "reference": what multiply() uses.
const std::string& gemm_library();

}  // namespace aaco::cpu
