// SPDX-License-Identifier: MIT
// Arguments of the kernels that a transformer's training step has besides those of every model. What changes from step
// to step lies in device memory, so that a captured step does not freeze it.
#pragma once

#include "device/ops/attention.h"
#include "device/ops/elementwise.h"

namespace aaco {

// Where training is, for the kernels of the step that is being done.
struct TrainingClock {
  int32_t step = 0;               // from 1; 0: before the first tick
  int32_t batch = 0;              // of the data: (step - 1) % batches
  float rate = 0;                 // of the optimiser
  float decay = 1;                // 1 - rate * weight_decay
  float inverse_correction1 = 1;  // 1 / (1 - beta1^step)
  float inverse_correction2 = 1;  // 1 / (1 - beta2^step)
};

// Ends a step, and begins the next: the mean of loss[rows], summed in an order that is fixed, goes to history[(step -
// 1) % history_length] where step > 0; then step += 1, and the clock is set for it. The rate grows linearly over the
// first `warmup_steps` and stays: rate * min(1, step / warmup_steps).
struct TickArgs {
  TrainingClock* clock = nullptr;
  const float* loss = nullptr;  // may be null: there is none
  float* history = nullptr;
  int64_t rows = 0;
  int64_t history_length = 1;
  int32_t batches = 1;
  int32_t warmup_steps = 0;
  float rate = 1e-3F;
  float weight_decay = 0;
  float beta1 = 0.9F;
  float beta2 = 0.999F;
};

// inputs[i, t] = tokens[b, i, t] and targets[i, t] = tokens[b, i, t + 1] with b = clock->batch; tokens [batches,
// sequences, length + 1]. A batch out of range gives -1, which is no token.
struct TokenBatchArgs {
  const int32_t* tokens = nullptr;
  const TrainingClock* clock = nullptr;
  int32_t* inputs = nullptr;   // [sequences, length]
  int32_t* targets = nullptr;  // [sequences, length]
  int64_t batches = 0;
  int64_t sequences = 0;
  int64_t length = 0;
};

// Rotary position embedding (Su et al., arXiv 2104.09864), pairs of neighbours: of row r, at position p = r % length,
// and each head, (x[2i], x[2i + 1]) is turned by the angle whose cosine and sine are table[p, i, 0] and [p, i, 1]; with
// `inverse` back by it, which is the gradient. Rows are `pitch` elements apart, in `in` and in `out`, which may be the
// same; a row's heads lie side by side.
struct RotaryArgs {
  const void* in = nullptr;
  void* out = nullptr;
  const float* table = nullptr;  // [length, head_dim / 2, 2]
  int64_t rows = 0;
  int64_t pitch = 0;
  int32_t heads = 0;
  int32_t head_dim = 0;  // even
  int32_t length = 0;
  int32_t inverse = 0;
  Dtype dtype = Dtype::kF32;
};

// out[r, c] = silu(gate[r, c]) * up[r, c]: SwiGLU between its products. Rows of gate and up are `pitch` elements apart,
// out is contiguous.
struct GluArgs {
  const void* gate = nullptr;
  const void* up = nullptr;
  void* out = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t pitch = 0;
  Dtype dtype = Dtype::kF32;
};

// Gradients of gate and up (rows `pitch` elements apart, as theirs) from that of out. They may be gate and up.
// `active`, where it is not null, gets what out was, [rows, cols]; it may be out_grad.
struct GluGradArgs {
  const void* gate = nullptr;
  const void* up = nullptr;
  const void* out_grad = nullptr;
  void* gate_grad = nullptr;
  void* up_grad = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t pitch = 0;
  Dtype dtype = Dtype::kF32;
  void* active = nullptr;
};

// out[b, h, s, :] = in[b, s, h / repeat, :]: heads apart, each key head as often as query heads share it. `layout` is
// of `in`; out is contiguous [batch, heads, length, head_dim].
struct SplitHeadsArgs {
  const void* in = nullptr;
  void* out = nullptr;
  AttentionLayout layout{};
  int32_t batch = 0;
  int32_t length = 0;
  int32_t heads = 0;
  int32_t head_dim = 0;
  int32_t repeat = 1;
  Dtype dtype = Dtype::kF32;
};

// The other way, and the gradient of the above: out[b, s, g, :] = sum over j < repeat of in[b, g * repeat + j, s, :],
// in fp32. `layout` is of `out`; in is contiguous [batch, heads, length, head_dim].
struct MergeHeadsArgs {
  const void* in = nullptr;
  void* out = nullptr;
  AttentionLayout layout{};
  int32_t batch = 0;
  int32_t length = 0;
  int32_t heads = 0;  // of `in`; out has heads / repeat
  int32_t head_dim = 0;
  int32_t repeat = 1;
  Dtype dtype = Dtype::kF32;
};

// Which elements dropout keeps (Srivastava et al., JMLR 2014). Nothing is stored: element i is number first + i among
// those of all ranks, and is kept where its word of Philox4x32-10 with key `seed` and counter (number / 4, the clock's
// step, site) is at least probability * 2^32, rounded to a whole number; kept ones are divided by 1 - probability.
struct DropoutMask {
  const TrainingClock* clock = nullptr;
  uint64_t seed = 0;
  int64_t first = 0;
  double probability = 0;  // of being dropped: from 0 to 0.999
  int32_t site = 0;        // of the model: each has a mask of its own
};

// out[i] = add[i] + kept(op(in[i])), op kCast (none) or kGelu; without `add` the second term alone. `out` may be `in`
// or `add`.
struct DropoutArgs {
  const void* in = nullptr;
  const void* add = nullptr;
  void* out = nullptr;
  int64_t n = 0;
  DropoutMask mask;
  UnaryOp op = UnaryOp::kCast;
  Dtype dtype = Dtype::kF32;
};

// in_grad[i] = kept(out_grad[i]) * op'(in[i]), of the same op; `in` is not read where it is kCast. `in_grad` may be
// `out_grad`.
struct DropoutGradArgs {
  const void* in = nullptr;
  const void* out_grad = nullptr;
  void* in_grad = nullptr;
  int64_t n = 0;
  DropoutMask mask;
  UnaryOp op = UnaryOp::kCast;
  Dtype dtype = Dtype::kF32;
};

// Binary cross-entropy of a score before the sigmoid: loss[i] = weight[i] * (log(1 + exp(score[i])) - target[i] *
// score[i]), and its gradient, grad[i] = scale * weight[i] * (sigmoid(score[i]) - target[i]).
struct BinaryCrossEntropyArgs {
  const void* score = nullptr;
  const float* target = nullptr;
  const float* weight = nullptr;
  float* loss = nullptr;
  void* grad = nullptr;
  int64_t n = 0;
  float scale = 1;
  Dtype dtype = Dtype::kF32;  // of score and grad
};

}  // namespace aaco
