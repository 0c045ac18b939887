// SPDX-License-Identifier: MIT
// What is trained, and how it is spread over ranks.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "workload/training/llama_config.h"

namespace aaco {

enum class ShardedMode : uint8_t {
  // Parameters, gradients and optimiser are sharded, block by block: gathered before use, gradients reduce-scattered
  // behind it (ZeRO-3; where blocks are not resharded behind the forward pass, ZeRO-2: Rajbhandari et al., SC 2020).
  kFullyShard,
  // Every rank has everything; gradients are all-reduced, several blocks together (DDP).
  kReplicate,
};

// The ranking transformer of the seed, beside what it shares with a LLaMA's shape: vocabulary (categories), hidden,
// layers, heads, inner. Dense features and the mean of categories' rows are projected and summed; post-norm encoder
// layers without a mask; a scorer of two layers; binary cross-entropy with weights.
struct RankingShape {
  int64_t embedding = 128;  // columns of a category's row
  int64_t dense = 1024;     // of a token: features times their columns
  int64_t categories = 16;  // of a token
};

struct ShardedConfig {
  LlamaConfig llama;  // rank and ranks; sequences of a rank; of a ranking transformer too, fusions and theta aside
  std::optional<RankingShape> ranking;
  ShardedMode mode = ShardedMode::kFullyShard;
  int32_t prefetch = 1;               // blocks gathered ahead of the computation
  bool reshard_after_forward = true;  // gathered again for the backward pass; else kept
  int64_t micro_steps = 1;            // whose gradients are averaged into one; llama.sequences is of each
  double clip_norm = 0;               // of the whole model's gradient; 0: it is not clipped
  int64_t decay_steps = 0;            // the rate falls linearly from the warm-up's end to 0 at this step; 0: it stays
  bool watched = false;               // collectives leave marks in memory that the host sees: ProgressWords
  bool registers_memory = false;      // its memory is of the kind that communicators can register
  bool one_communicator = false;      // for all collectives, which are then done one after the other
  int64_t bucket_bytes = int64_t{25} << 20;  // kReplicate: of gradients that are reduced together, at least

  bool shards() const { return mode == ShardedMode::kFullyShard && llama.ranks > 1; }
  // Of micro-step `micro`: its part of the data, and the scale of its gradients.
  LlamaConfig micro_config(int64_t micro) const;
  // Communicators that its program names.
  int32_t communicators() const;
};

inline constexpr int32_t kMostPrefetch = 3;
inline constexpr int64_t kMostMicroSteps = 64;

// Errors: kUsage naming what cannot be; those of check_llama_config.
Result<void> check_sharded_config(const ShardedConfig& config);

}  // namespace aaco
