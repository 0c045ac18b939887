// SPDX-License-Identifier: MIT
#include "workload/training/llama_config.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

#include "base/text/nearest_word.h"

namespace aaco {

namespace {

constexpr LlamaFusions kOfSecond{.qkv = true, .gate_up = true, .attention = true, .loss = true};
constexpr LlamaFusions kOfThird{
    .qkv = true, .gate_up = true, .attention = true, .loss = true, .norm = true, .rotary = true, .optimizer = true};
constexpr NamedFusion kFusions[] = {
    {"qkv", &LlamaFusions::qkv, "queries, keys and values by one product"},
    {"gate-up", &LlamaFusions::gate_up, "SwiGLU's first two products by one, its function by one operation"},
    {"attention", &LlamaFusions::attention, "attention without a matrix of scores"},
    {"loss", &LlamaFusions::loss, "the loss and its gradient by one operation"},
    {"norm", &LlamaFusions::norm,
     "a residual path's sum and the norm behind it by one operation, all norms' weight gradients summed by one"},
    {"rotary", &LlamaFusions::rotary,
     "queries and keys turned at once, their gradients turned back by the gradient of attention"},
    {"optimizer", &LlamaFusions::optimizer, "all parameters updated by one operation"},
    {"recompute", &LlamaFusions::recompute, "what SwiGLU gives computed again by its gradient, instead of kept"},
    {"beside", &LlamaFusions::beside,
     "gradients of weights and each layer's update on a stream beside the backward pass"},
};

constexpr LlamaVersion kVersions[] = {
    {1, "one kernel per operation", "as a framework without a compiler runs it", {}, "single"},
    {2, "fused products and attention",
     "queries, keys and values by one product; gate and up by one, and what comes of them by one operation; attention "
     "without a matrix of scores; loss and its gradient at once",
     kOfSecond, "single"},
    {3, "own kernels between the products",
     "residual sum with norm, rotary positions of queries and keys, and the optimiser, in one kernel each", kOfThird,
     "single"},
    {4, "the step as one graph",
     "the kernels of version 3, captured once and launched as one graph: nothing more is fused", kOfThird, "graph"},
};

constexpr LlamaShape kNano{.vocabulary = 128, .hidden = 64, .layers = 2, .heads = 4, .kv_heads = 2, .inner = 256};
constexpr LlamaShape shape_of(int64_t hidden, int64_t layers) {
  return {.vocabulary = 1000, .hidden = hidden, .layers = layers, .heads = 8, .kv_heads = 4, .inner = 4 * hidden};
}

constexpr LlamaPreset kPresets[] = {
    {"nano", kNano, 4, 32},
    {"tiny", shape_of(256, 4), 8, 128},
    {"small", shape_of(512, 8), 8, 256},
    {"medium", shape_of(1024, 12), 16, 512},
    {"large", shape_of(2048, 16), 8, 1024},
};

Error usage(std::string what, std::string hint) { return {ErrorKind::kUsage, std::move(what), std::move(hint)}; }

}  // namespace

std::span<const LlamaVersion> llama_versions() { return kVersions; }
std::span<const NamedFusion> llama_fusions() { return kFusions; }
std::span<const LlamaPreset> llama_presets() { return kPresets; }

Result<const LlamaPreset*> find_llama_preset(std::string_view name) {
  std::vector<std::string> names;
  for (const LlamaPreset& preset : kPresets) {
    if (preset.name == name) {
      return &preset;
    }
    names.emplace_back(preset.name);
  }
  return usage(fmt::format("no preset is named {}", name),
               fmt::format("{}presets: {}", did_you_mean(name, names), fmt::join(names, ", ")));
}

Result<void> check_llama_config(const LlamaConfig& config) {
  constexpr int64_t kLargestHead = 256;  // of the attention operation
  struct Size {
    const char* name;
    int64_t value;
    int64_t most;
  };
  const LlamaShape& shape = config.shape;
  for (const Size& size :
       {Size{"vocabulary", shape.vocabulary, 1 << 20}, Size{"hidden size", shape.hidden, 1 << 16},
        Size{"layers", shape.layers, 1024}, Size{"heads", shape.heads, 1024}, Size{"key heads", shape.kv_heads, 1024},
        Size{"inner size", shape.inner, 1 << 18}, Size{"batch size", config.sequences, 1 << 16},
        Size{"sequence length", config.length, 1 << 16}, Size{"batches", config.batches, 1 << 20},
        Size{"steps", config.steps, 1 << 24}}) {
    if (size.value < 1 || size.value > size.most) {
      return usage(fmt::format("{} {}: from 1 to {} are possible", size.name, size.value, size.most),
                   "choose a size in that range");
    }
  }
  if (shape.hidden % shape.heads != 0 || shape.head_dim() % 2 != 0 || shape.head_dim() > kLargestHead) {
    return usage(fmt::format("hidden size {} and {} heads: a head's size must be whole, even and at most {}",
                             shape.hidden, shape.heads, kLargestHead),
                 "choose a hidden size that 2 * heads divides");
  }
  if (shape.heads % shape.kv_heads != 0) {
    return usage(fmt::format("{} heads cannot share {} key heads evenly", shape.heads, shape.kv_heads),
                 "the number of heads must be a multiple of that of key heads");
  }
  if (config.fusions.recompute && (!config.fusions.gate_up || config.fusions.beside)) {
    return usage(config.fusions.beside ? "recompute and beside cannot go together" : "recompute needs gate-up",
                 config.fusions.beside ? "leave one out: another stream may still read what is computed again"
                                       : "it is the fused operation of SwiGLU's gradient that computes again");
  }
  if (!(config.rate > 0) || !std::isfinite(config.rate)) {
    return usage(fmt::format("learning rate {}: must be above 0", config.rate), "the workshop's is 3e-4");
  }
  if (!(config.weight_decay >= 0) || !std::isfinite(config.weight_decay)) {
    return usage(fmt::format("weight decay {}: must be 0 or above", config.weight_decay), "the workshop's is 0.01");
  }
  if (config.warmup_steps < 0 || config.warmup_steps > 1 << 24) {
    return usage(fmt::format("{} warm-up steps of the rate: from 0 to {} are possible", config.warmup_steps, 1 << 24),
                 "0 has the whole rate from the first step on");
  }
  return {};
}

}  // namespace aaco
