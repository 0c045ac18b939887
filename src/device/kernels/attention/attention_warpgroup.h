// SPDX-License-Identifier: MIT
// Attention in fp16 and bf16 by Hopper's warpgroups (hopper/), for heads of 64 or 128 columns whose rows begin at
// multiples of 16 bytes. Elsewhere attention_matrix.h's form is taken; both are held against
// the CPU, these only on a card.
#pragma once

#include "device/gpu/stream_context.h"
#include "device/ops/attention.h"

namespace aaco::gpu {

// Enqueue, and true: where the device and the arguments are such. The gradient's delta is computed too.
#if defined(__CUDACC__) && !defined(__HIP__)
bool attend_by_warpgroups(StreamContext& stream, const AttentionArgs& args);
bool attend_grad_by_warpgroups(StreamContext& stream, const AttentionGradArgs& args);
#else
inline bool attend_by_warpgroups(StreamContext& /*stream*/, const AttentionArgs& /*args*/) { return false; }
inline bool attend_grad_by_warpgroups(StreamContext& /*stream*/, const AttentionGradArgs& /*args*/) { return false; }
#endif

}  // namespace aaco::gpu
