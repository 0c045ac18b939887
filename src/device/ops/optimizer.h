// SPDX-License-Identifier: MIT
// Arguments of the optimiser's kernels. States are fp32, and gradients but where it is said.
#pragma once

#include "device/ops/training.h"

namespace aaco {

// param -= rate * grad; `low` (fp16 or bf16 copy of the parameters) is written where not null.
struct SgdArgs {
  float* param = nullptr;
  const float* grad = nullptr;
  void* low = nullptr;
  int64_t n = 0;
  float rate = 0;
  Dtype low_dtype = Dtype::kBf16;
};

// AdamW (Loshchilov & Hutter, ICLR 2019), step counted from 1. With a clock, step, rate, decay and corrections are what
// it says, and those here are not read. Gradients of the elements [low_from, low_end) are low_grad's, of low_dtype;
// grad has those of the others, without a gap.
// With `grad_scale` every gradient is times what is there.
struct AdamArgs {
  float* param = nullptr;
  const float* grad = nullptr;
  float* first = nullptr;
  float* second = nullptr;
  void* low = nullptr;
  int64_t n = 0;
  float rate = 1e-3F;
  float beta1 = 0.9F;
  float beta2 = 0.999F;
  float eps = 1e-8F;
  float weight_decay = 0;
  int32_t step = 1;
  Dtype low_dtype = Dtype::kBf16;
  const TrainingClock* clock = nullptr;
  const void* low_grad = nullptr;
  int64_t low_from = 0;
  int64_t low_end = 0;
  const float* grad_scale = nullptr;
};

// out[p] = the sum of in[i]^2 over part p of `parts`: elements [p * stride, (p + 1) * stride), where stride is n /
// parts rounded up to a multiple of 4. In an order that is fixed.
struct SquareSumArgs {
  const float* in = nullptr;
  float* out = nullptr;
  int64_t n = 0;
  int64_t parts = 1;

  int64_t stride() const { return (n + 4 * parts - 1) / (4 * parts) * 4; }
};

// scale = min(1, max_norm / (sqrt(the sum of sums[0..n)) + 1e-6)), as torch.nn.utils.clip_grad_norm_; NaN where the sum
// is. In an order that is fixed.
struct ClipScaleArgs {
  const float* sums = nullptr;
  float* scale = nullptr;
  int64_t n = 0;
  float max_norm = 1;
};

}  // namespace aaco
