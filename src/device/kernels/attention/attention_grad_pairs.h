// SPDX-License-Identifier: MIT
// The gradient of attention where AttentionGradArgs::pairs is given.
#pragma once

#include "device/gpu/stream_context.h"
#include "device/ops/attention.h"

namespace aaco::gpu {

// Both enqueue, for what has a batch and heads. delta is there already.
void attend_grad_by_pairs(StreamContext& stream, const AttentionGradArgs& args);
// Its first half: AttentionGradArgs::pairs.
void compute_pairs(StreamContext& stream, const AttentionGradArgs& args);

}  // namespace aaco::gpu
