// SPDX-License-Identifier: MIT
// Attention in fp16 and bf16 on matrix units, for devices that have them (DeviceLimits::matrix_units). Weights, and the
// gradients of scores, are rounded to the type before they are multiplied; all sums are fp32.
#pragma once

#include "device/gpu/stream_context.h"
#include "device/ops/attention.h"

namespace aaco::gpu {

// Enqueue, for what has a batch and heads. The gradient's delta is there already.
void attend_on_matrix_units(StreamContext& stream, const AttentionArgs& args);
void attend_grad_on_matrix_units(StreamContext& stream, const AttentionGradArgs& args);

}  // namespace aaco::gpu
