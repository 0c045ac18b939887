// SPDX-License-Identifier: MIT
// Arguments of matrix multiplication and convolution.
#pragma once

#include "device/ops/dtype.h"

namespace aaco {

enum class MathMode : int32_t { kF32, kTf32 };  // of fp32 inputs; fp16 and bf16 always multiply as such, sum in fp32
enum class Epilogue : int32_t { kNone, kBias, kBiasRelu, kBiasGelu };

// For each of `batch`: c[m, n] = alpha * op(a)[m, k] * op(b)[k, n] + beta * c, then the epilogue with bias[n] (of
// `out_dtype`). Row-major; lda, ldb, ldc are elements from row to row, as stored (op(a) = a transposed is stored [k,
// m]). Strides are elements from one of the batch to the next. With beta 0, c is not read.
struct GemmArgs {
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  const void* bias = nullptr;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  int64_t lda = 0;
  int64_t ldb = 0;
  int64_t ldc = 0;
  int64_t batch = 1;
  int64_t stride_a = 0;
  int64_t stride_b = 0;
  int64_t stride_c = 0;
  float alpha = 1;
  float beta = 0;
  int32_t transpose_a = 0;
  int32_t transpose_b = 0;
  Dtype in_dtype = Dtype::kF32;
  Dtype out_dtype = Dtype::kF32;
  MathMode math = MathMode::kF32;
  Epilogue epilogue = Epilogue::kNone;
};

// 2-D convolution, NCHW: out[n, o, oh, ow] = bias[o] + sum over c, r, s of weight[o, c, r, s] * in[n, c, oh * stride -
// pad + r, ow * stride - pad + s]; relu where asked. oh = (h + 2 pad - r) / stride + 1. fp32 sums.
struct ConvArgs {
  const void* in = nullptr;
  const void* weight = nullptr;
  const void* bias = nullptr;  // may be null
  void* out = nullptr;
  int32_t n = 0, c = 0, h = 0, w = 0;  // NOLINT(readability-isolate-declaration): the usual four
  int32_t o = 0, r = 0, s = 0;         // NOLINT(readability-isolate-declaration)
  int32_t pad = 0;
  int32_t stride = 1;
  int32_t relu = 0;
  Dtype dtype = Dtype::kF32;
  MathMode math = MathMode::kF32;
};

enum class PoolKind : int32_t { kMax, kMean };

// Each of `planes` [h, w] to [h / window, w / window] (remainders are cut off), windows side by side.
struct PoolArgs {
  const void* in = nullptr;
  void* out = nullptr;
  int64_t planes = 0;
  int32_t h = 0;
  int32_t w = 0;
  int32_t window = 2;
  PoolKind kind = PoolKind::kMax;
  Dtype dtype = Dtype::kF32;
};

// Images from bytes: out[n, c, y, x] = (in[n, c, y, x'] / 255 - mean[c]) / deviation[c], x' mirrored where flip[n] is
// not 0.
struct ImageArgs {
  const uint8_t* in = nullptr;
  const uint8_t* flip = nullptr;  // [n]; may be null: none
  void* out = nullptr;
  int32_t n = 0, c = 0, h = 0, w = 0;  // NOLINT(readability-isolate-declaration)
  float mean[4] = {0, 0, 0, 0};
  float deviation[4] = {1, 1, 1, 1};
  Dtype dtype = Dtype::kF32;
};

}  // namespace aaco
