// SPDX-License-Identifier: MIT
// Arguments of the kernels that go along the rows or columns of a matrix. Row-major, contiguous, sums in fp32.
#pragma once

#include <algorithm>

#include "device/ops/dtype.h"

namespace aaco {

enum class ReduceOp : int32_t { kSum, kMean, kMax };
enum class ReduceAxis : int32_t { kAlongRow /* out[rows] */, kAlongColumn /* out[cols] */ };

// out = reduction of in[rows, cols]; with `accumulate` (kSum only) out += it. kMax is NaN where any element is.
struct ReduceArgs {
  const void* in = nullptr;
  void* out = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  ReduceOp op = ReduceOp::kSum;
  ReduceAxis axis = ReduceAxis::kAlongRow;
  Dtype in_dtype = Dtype::kF32;
  Dtype out_dtype = Dtype::kF32;
  int32_t accumulate = 0;
};

// out[r, :] = softmax(scale * in[r, :]).
struct SoftmaxArgs {
  const void* in = nullptr;
  void* out = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  float scale = 1;
  Dtype dtype = Dtype::kF32;
};

// in_grad[r, :] = scale * y * (g - sum(g * y)) with y = out[r, :], g = out_grad[r, :].
struct SoftmaxGradArgs {
  const void* out = nullptr;
  const void* out_grad = nullptr;
  void* in_grad = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  float scale = 1;
  Dtype dtype = Dtype::kF32;
};

enum class NormKind : int32_t { kLayer, kRms };

// kLayer: out = (in - mean) * rstd * weight + bias, variance over n; kRms: out = in * rstd * weight, rstd = 1 /
// sqrt(mean of squares + eps). weight, bias [cols] of `dtype`; null: 1 and 0. `mean` (kLayer) and `rstd`, fp32 [rows],
// are written where not null: the gradient needs them. Where `add` is not null, in + add, rounded to the type, is what
// is normalised, and is written to `sum`, which may be `in` or `add`: a residual path and the norm behind it.
struct NormArgs {
  const void* in = nullptr;
  const void* weight = nullptr;
  const void* bias = nullptr;
  void* out = nullptr;
  float* mean = nullptr;
  float* rstd = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  float eps = 1e-5F;
  NormKind kind = NormKind::kLayer;
  Dtype dtype = Dtype::kF32;
  const void* add = nullptr;
  void* sum = nullptr;
};

// in_grad from out_grad; weight_grad and bias_grad, fp32 [cols], are added to (+=) where not null. Where `add` is not
// null (it may be in_grad), in_grad = add + the gradient: of a residual path around the norm. `partial`, fp32
// [norm_grad_parts(rows), cols], makes the order of weight_grad's sums over rows a fixed one: part p is the sum over
// rows [rows * p / parts, rows * (p + 1) / parts), and weight_grad, their sum, is written, not added to; there may be
// no bias_grad. Where weight_grad is null the parts are left for SumParts. Without `partial` blocks add theirs up
// atomically.
inline constexpr int64_t kMostNormGradParts = 128;
inline constexpr int64_t norm_grad_parts(int64_t rows) {
  constexpr int64_t kRowsOfPart = 8;
  return std::clamp<int64_t>(rows / kRowsOfPart, 1, kMostNormGradParts);
}
struct NormGradArgs {
  const void* in = nullptr;
  const void* weight = nullptr;
  const float* mean = nullptr;
  const float* rstd = nullptr;
  const void* out_grad = nullptr;
  void* in_grad = nullptr;
  float* weight_grad = nullptr;
  float* bias_grad = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  NormKind kind = NormKind::kLayer;
  Dtype dtype = Dtype::kF32;
  const void* add = nullptr;
  float* partial = nullptr;
};

// out[g, :] = the sum of in[g, p, :] over p, in an order that is fixed; in [groups, parts, cols], out [groups, cols].
struct SumPartsArgs {
  const float* in = nullptr;
  float* out = nullptr;
  int64_t groups = 0;
  int64_t parts = 0;
  int64_t cols = 0;
};

// The k largest of each row, descending; equal values by ascending index; NaN before all numbers. k <= 64. Places
// beyond cols get -infinity and index -1. values may be null.
struct TopKArgs {
  const void* in = nullptr;
  void* values = nullptr;      // [rows, k] of dtype
  int32_t* indices = nullptr;  // [rows, k]
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t k = 1;
  Dtype dtype = Dtype::kF32;
};

// loss[r] = -log softmax(logits[r, :])[targets[r]]; grad[r, :] = scale * (softmax - onehot) where not null. grad may be
// logits. A target outside [0, cols) makes the loss and the row's gradient NaN.
struct CrossEntropyArgs {
  const void* logits = nullptr;
  const int32_t* targets = nullptr;
  float* loss = nullptr;
  void* grad = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  float scale = 1;
  Dtype dtype = Dtype::kF32;
};

}  // namespace aaco
