// SPDX-License-Identifier: MIT
// Arguments of the kernels that treat every element alone. All pointers are device memory, arrays are contiguous.
#pragma once

#include "device/ops/dtype.h"

namespace aaco {

// out[i] = value, rounded to the type.
struct FillArgs {
  void* out = nullptr;
  int64_t n = 0;
  double value = 0;
  Dtype dtype = Dtype::kF32;
};

// out[i] uniform in [low, high) as the type rounds these, or for kI32 and kU8 an integer of {low, ..., high - 1}, from
// Philox4x32-10 (Salmon et al., SC 2011) with key `seed` and counter i / 4: the same values, bit for bit, on every
// backend.
struct RandomArgs {
  void* out = nullptr;
  int64_t n = 0;
  uint64_t seed = 0;
  double low = -1;
  double high = 1;
  Dtype dtype = Dtype::kF32;
};

enum class UnaryOp : int32_t {
  kCast,
  kScaleShift,  // a x + b
  kAbs,
  kClamp,  // to [a, b]
  kRelu,
  kGelu,  // 0.5 x (1 + erf(x / sqrt 2))
  kSilu,  // x / (1 + exp(-x))
  kExp,
  kSquare,
};

// out[i] = op(in[i]), computed in fp32, both types floating. `out` may be `in` where the types are the same.
struct UnaryArgs {
  const void* in = nullptr;
  void* out = nullptr;
  int64_t n = 0;
  UnaryOp op = UnaryOp::kCast;
  float a = 1;
  float b = 0;
  Dtype in_dtype = Dtype::kF32;
  Dtype out_dtype = Dtype::kF32;
};

// in_grad[i] = out_grad[i] * op'(in[i]); op is kRelu (derivative 0 at 0), kGelu or kSilu.
struct UnaryGradArgs {
  const void* in = nullptr;
  const void* out_grad = nullptr;
  void* in_grad = nullptr;
  int64_t n = 0;
  UnaryOp op = UnaryOp::kRelu;
  Dtype dtype = Dtype::kF32;
};

enum class BinaryOp : int32_t { kAdd, kSub, kMul, kMax, kSiluMul /* silu(a) * b */ };

// out[i] = op(a[i], scale * b[(i / b_repeat) % b_period]): b is a row (b_repeat 1, b_period columns), a column
// (b_repeat columns, b_period rows), or of a's size (b_period n). Computed in fp32; kI32 in integers with scale
// ignored. `out` may be `a` or, where sizes match, `b`.
struct BinaryArgs {
  const void* a = nullptr;
  const void* b = nullptr;
  void* out = nullptr;
  int64_t n = 0;
  int64_t b_period = 0;
  int64_t b_repeat = 1;
  BinaryOp op = BinaryOp::kAdd;
  float scale = 1;
  Dtype dtype = Dtype::kF32;
};

}  // namespace aaco
