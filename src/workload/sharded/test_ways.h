// SPDX-License-Identifier: MIT
// For tests: ways to spread a small training over ranks, and how far from each other two trainings may be.
#pragma once

#include <algorithm>
#include <cctype>
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "base/max_or_nan.h"
#include "workload/sharded/test_ranks.h"

namespace aaco {

inline constexpr int64_t kSteps = 50;
inline constexpr int64_t kSequences = 4;  // of the whole batch

// A small model of four layers, so that slots are used again.
inline ShardedConfig small_config() {
  ShardedConfig config;
  config.llama = oracle_config(LlamaConfig(), false);
  config.llama.fusions = llama_versions()[2].fusions;
  config.llama.shape.layers = 4;
  config.llama.sequences = kSequences;
  config.llama.steps = kSteps;
  return config;
}

struct Way {
  const char* name;
  ShardedMode mode;
  int32_t prefetch;
  bool reshard;
  bool one_communicator;
  int64_t micro_steps = 1;
  double clip_norm = 0;
  int64_t decay_steps = 0;
  void (*change)(ShardedConfig& config) = [](ShardedConfig& /*config*/) {};

  // What a training that knows nothing of ranks can do too.
  bool is_plain() const { return clip_norm == 0 && decay_steps == 0; }
};

inline void in_pairs(ShardedConfig& config) {
  config.shard_group = 2;
  config.llama.sequences = 2 * kSequences;
}
inline void without_limit(ShardedConfig& config) { config.limits_gathers = false; }
inline void reducing_behind(ShardedConfig& config) { config.overlaps_reduction = false; }
// Without the head's gradient, that of a rare token's row is little more than rounding, of which AdamW makes whole
// steps unless epsilon is above it.
inline void with_own_head(ShardedConfig& config) {
  config.llama.shape.tie_head = false;
  config.llama.adam_epsilon = 1e-5;
}
inline void behind_layers(ShardedConfig& config) {
  config.gathers_behind_layer = true;
  config.backward_prefetch = 1;
}

inline constexpr Way kWays[] = {
    {"fsdp", ShardedMode::kFullyShard, 1, true, false},
    {"fsdp without prefetch", ShardedMode::kFullyShard, 0, true, false},
    {"fsdp, prefetch 2", ShardedMode::kFullyShard, 2, true, false},
    {"fsdp, prefetch 3", ShardedMode::kFullyShard, 3, true, false},
    {"fsdp on one communicator", ShardedMode::kFullyShard, 1, true, true},
    {"shard_grad_op", ShardedMode::kFullyShard, 1, false, false},
    {"ddp", ShardedMode::kReplicate, 1, true, false},
    {"fsdp accumulating", ShardedMode::kFullyShard, 1, true, false, 2},
    {"shard_grad_op accumulating", ShardedMode::kFullyShard, 1, false, false, 2},
    {"ddp accumulating", ShardedMode::kReplicate, 1, true, false, 2},
    {"fsdp clipped", ShardedMode::kFullyShard, 1, true, false, 1, 0.1, 60},
    {"fsdp clipped on one communicator", ShardedMode::kFullyShard, 1, true, true, 2, 0.1, 0},
    {"ddp clipped", ShardedMode::kReplicate, 1, true, false, 2, 0.1, 60},
    {"hybrid", ShardedMode::kFullyShard, 1, true, false, 1, 0, 0, in_pairs},
    {"hybrid accumulating and clipped", ShardedMode::kFullyShard, 1, true, false, 2, 0.1, 60, in_pairs},
    {"hybrid on one communicator", ShardedMode::kFullyShard, 2, false, true, 1, 0, 0, in_pairs},
    {"fsdp without a limit", ShardedMode::kFullyShard, 1, true, false, 1, 0, 0, without_limit},
    {"fsdp accumulating without a limit", ShardedMode::kFullyShard, 0, true, false, 2, 0, 0, without_limit},
    {"fsdp without a limit on one communicator", ShardedMode::kFullyShard, 1, true, true, 2, 0, 0, without_limit},
    {"fsdp, forward prefetch alone", ShardedMode::kFullyShard, 2, true, false, 2, 0, 0,
     [](ShardedConfig& config) { config.backward_prefetch = 0; }},
    {"fsdp, backward prefetch alone", ShardedMode::kFullyShard, 0, true, false, 2, 0, 0,
     [](ShardedConfig& config) { config.backward_prefetch = 2; }},
    {"fsdp, gathers behind layers", ShardedMode::kFullyShard, 0, true, false, 2, 0, 0, behind_layers},
    {"fsdp, gathers behind layers, on one communicator", ShardedMode::kFullyShard, 1, true, true, 1, 0, 0,
     [](ShardedConfig& config) {
       behind_layers(config);
       config.backward_prefetch = 3;
     }},
    {"fsdp reducing behind", ShardedMode::kFullyShard, 1, true, false, 2, 0, 0, reducing_behind},
    {"hybrid reducing behind", ShardedMode::kFullyShard, 1, true, false, 1, 0, 0,
     [](ShardedConfig& config) {
       reducing_behind(config);
       in_pairs(config);
     }},
    {"fsdp, untied head", ShardedMode::kFullyShard, 1, true, false, 1, 0, 0, with_own_head},
    {"fsdp accumulating and clipped, untied head", ShardedMode::kFullyShard, 1, true, false, 2, 0.1, 60, with_own_head},
    {"ddp, untied head", ShardedMode::kReplicate, 1, true, false, 1, 0, 0, with_own_head},
    {"ddp reducing behind", ShardedMode::kReplicate, 1, true, false, 2, 0, 0, reducing_behind},
};

inline const Way& way_named(std::string_view name) {
  return *std::find_if(std::begin(kWays), std::end(kWays), [&](const Way& way) { return way.name == name; });
}

inline ShardedConfig config_of(const Way& way) {
  ShardedConfig config = small_config();
  config.mode = way.mode;
  config.prefetch = way.prefetch;
  config.backward_prefetch = way.prefetch;
  config.reshard_after_forward = way.reshard;
  config.one_communicator = way.one_communicator;
  config.bucket_bytes = 40'000;  // two layers
  config.micro_steps = way.micro_steps;
  config.clip_norm = way.clip_norm;
  config.decay_steps = way.decay_steps;
  way.change(config);
  return config;
}

inline double worst_difference(const NamedValues& a, const NamedValues& b) {
  double worst = 0;
  EXPECT_EQ(a.size(), b.size());
  for (const auto& [name, values] : a) {
    const std::vector<float>& others = b.at(name);
    EXPECT_EQ(values.size(), others.size()) << name;
    for (size_t i = 0; i < std::min(values.size(), others.size()); ++i) {
      worst = max_or_nan(worst, std::abs(static_cast<double>(values[i]) - static_cast<double>(others[i])));
    }
  }
  return worst;
}

inline double worst_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  EXPECT_EQ(a.size(), b.size());
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    worst = max_or_nan(worst, std::abs(a[i] - b[i]));
  }
  return worst;
}

// Sums are taken in another order, and nothing else differs: a tenth of the bounds was measured. What tests break is
// a thousand times beyond them.
inline constexpr double kLossBound = 5e-6;
inline constexpr double kWeightBound = 1.5e-5;

inline std::string word_of_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

// Gradients are rounded to 8 bits in front of the link and behind its sum. Where the ranks' parts cancel, little is
// left of an element but its rounding, and AdamW makes a step of the rate's size of it: no bound follows but by
// measuring. Losses were off by 2.4e-3 at most, weights by 0.020; products in bf16 on one rank change losses by 3.4e-3,
// and one reduction left out by 0.029, weights by 0.2.
inline constexpr double kBf16LossBound = 1e-2;
inline constexpr double kBf16WeightBound = 6e-2;

}  // namespace aaco
