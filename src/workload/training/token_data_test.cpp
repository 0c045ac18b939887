// SPDX-License-Identifier: MIT
#include "workload/training/token_data.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

namespace aaco {
namespace {

LlamaConfig config_of(bool learnable) {
  LlamaConfig config;
  config.shape.vocabulary = 50;
  config.length = 64;
  config.learnable = learnable;
  return config;
}

// How often the token that comes most often after each one does; and whether these are all different.
struct Successors {
  double share = 0;
  bool permutation = false;
};

Successors successors_of(const LlamaConfig& config, const std::vector<int32_t>& tokens) {
  std::map<int32_t, std::map<int32_t, int64_t>> counts;
  const auto row = static_cast<size_t>(config.length + 1);
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if ((i + 1) % row != 0) {
      ++counts[tokens[i]][tokens[i + 1]];
    }
  }
  int64_t most = 0;
  int64_t all = 0;
  std::vector<int32_t> followers;
  for (const auto& [token, after] : counts) {
    const auto usual =
        std::max_element(after.begin(), after.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    most += usual->second;
    followers.push_back(usual->first);
    for (const auto& [next, count] : after) {
      all += count;
    }
  }
  std::sort(followers.begin(), followers.end());
  return {static_cast<double>(most) / static_cast<double>(all),
          followers.size() == static_cast<size_t>(config.shape.vocabulary) &&
              std::adjacent_find(followers.begin(), followers.end()) == followers.end()};
}

TEST(TokenData, TheSameSeedHasTheSameTokens) {
  LlamaConfig config = config_of(true);
  const auto tokens = make_tokens(config);
  EXPECT_EQ(tokens.size(), static_cast<size_t>(config.batches * config.sequences * (config.length + 1)));
  EXPECT_TRUE(std::all_of(tokens.begin(), tokens.end(), [](int32_t token) { return token >= 0 && token < 50; }));
  EXPECT_EQ(make_tokens(config), tokens);
  ++config.seed;
  EXPECT_NE(make_tokens(config), tokens);
}

// 0.9, and by chance another 0.1 / 50.
TEST(TokenData, LearnableTokensFollowAPermutation) {
  const LlamaConfig config = config_of(true);
  const Successors successors = successors_of(config, make_tokens(config));
  EXPECT_GT(successors.share, 0.85);
  EXPECT_LT(successors.share, 0.95);
  EXPECT_TRUE(successors.permutation);
}

// Uniform: 1 / 50 each, and the most frequent of 50 somewhat more.
TEST(TokenData, RandomTokensFollowNothing) {
  const LlamaConfig config = config_of(false);
  EXPECT_LT(successors_of(config, make_tokens(config)).share, 0.1);
}

}  // namespace
}  // namespace aaco
