// SPDX-License-Identifier: MIT
// What a training of the Tiny LLaMA is: the model's shape, the step's sizes, and what is fused. The versions of the
// ladder differ in what is fused and in nothing else.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "workload/parameters.h"

namespace aaco {

// A decoder with RMSNorm before its parts, rotary positions, grouped-query causal attention, SwiGLU, and a head, which
// may be the embedding. No biases.
struct LlamaShape {
  int64_t vocabulary = 1000;
  int64_t hidden = 512;
  int64_t layers = 8;
  int64_t heads = 8;
  int64_t kv_heads = 4;
  int64_t inner = 2048;  // of SwiGLU
  double epsilon = 1e-6;
  double theta = 10000;
  bool tie_head = true;  // the head is the embedding; else a matrix of its own

  int64_t head_dim() const { return hidden / heads; }
  int64_t kv_width() const { return kv_heads * head_dim(); }
  int64_t qkv_width() const { return hidden + 2 * kv_width(); }
};

// What one version does in one operation, and the one before it in several.
struct LlamaFusions {
  bool qkv = false;        // queries, keys and values by one product
  bool gate_up = false;    // SwiGLU's two first products by one, and its function and their gradient by one each
  bool attention = false;  // without a matrix of scores in memory
  bool loss = false;       // loss and its gradient by one operation
  bool norm = false;       // a residual path's sum and the norm behind it; their gradients
  bool rotary = false;     // queries and keys at once
  bool optimizer = false;  // all parameters of a stage at once
  bool recompute = false;  // what SwiGLU gives is not kept but computed again
  bool beside = false;     // weights' gradients, and their update layer by layer, on a stream beside the backward pass

  friend bool operator==(const LlamaFusions&, const LlamaFusions&) = default;
};

// A fusion by the name that the command line has for it.
struct NamedFusion {
  const char* name;
  bool LlamaFusions::* flag;
  const char* meaning;
};
std::span<const NamedFusion> llama_fusions();

struct LlamaVersion {
  int32_t number = 1;
  const char* name;     // "one kernel per operation"
  const char* summary;  // what it fuses that the one before does not
  LlamaFusions fusions;
  const char* dispatch;  // "single" or "graph", where nobody says
};

// 1 to 4.
std::span<const LlamaVersion> llama_versions();

struct LlamaPreset {
  const char* name;
  LlamaShape shape;
  int64_t sequences;
  int64_t length;
};

// From the smallest to the largest: "nano", for a CPU, then the workshop's sizes.
std::span<const LlamaPreset> llama_presets();
// Errors: kUsage naming them all.
Result<const LlamaPreset*> find_llama_preset(std::string_view name);

struct LlamaConfig {
  LlamaShape shape;
  LlamaFusions fusions;
  Precision precision;
  int64_t sequences = 8;  // of a step's batch, on this rank
  int64_t length = 256;   // tokens of each
  int64_t batches = 16;   // of the data, one a step, in turn
  bool learnable = true;  // else every token is drawn uniformly, and there is nothing to learn
  int64_t steps = 50;     // for which losses are kept
  int64_t warmup_steps = 0;
  double rate = 3e-4;
  double weight_decay = 0.01;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double adam_epsilon = 1e-8;
  uint64_t seed = 42;
  // Of data: rank r has sequences [r * sequences, (r + 1) * sequences) of a batch of ranks * sequences, and gradients
  // are such that their sum over ranks is the gradient of the batch's mean loss.
  int64_t rank = 0;
  int64_t ranks = 1;

  int64_t tokens() const { return sequences * length; }
  float gradient_scale() const { return 1 / static_cast<float>(tokens() * ranks); }
};

// Errors: kUsage naming what cannot be: heads that do not divide, a head size that is odd or above 256, numbers
// below 1.
Result<void> check_llama_config(const LlamaConfig& config);

}  // namespace aaco
