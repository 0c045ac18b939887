// SPDX-License-Identifier: MIT
#include "workload/training/token_data.h"

#include <numeric>
#include <random>
#include <utility>

namespace aaco {

namespace {

constexpr double kFollows = 0.9;

// The engine's numbers are the same everywhere, those of the library's distributions are not.
class TokenSource {
 public:
  explicit TokenSource(uint64_t seed) : engine_(seed) {}
  uint32_t below(uint32_t count) { return static_cast<uint32_t>(((engine_() >> 32) * count) >> 32); }
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace

std::vector<int32_t> make_tokens(const LlamaConfig& config) {
  TokenSource random(config.seed);
  const auto vocabulary = static_cast<uint32_t>(config.shape.vocabulary);
  std::vector<int32_t> next(vocabulary);
  std::iota(next.begin(), next.end(), 0);
  for (uint32_t i = vocabulary; i > 1; --i) {
    std::swap(next[i - 1], next[random.below(i)]);
  }
  std::vector<int32_t> tokens;
  tokens.reserve(static_cast<size_t>(config.batches * config.sequences * (config.length + 1)));
  for (int64_t sequence = 0; sequence < config.batches * config.ranks * config.sequences; ++sequence) {
    const bool own = sequence / config.sequences % config.ranks == config.rank;
    auto token = static_cast<int32_t>(random.below(vocabulary));
    for (int64_t i = 0; i <= config.length; ++i) {
      if (own) {
        tokens.push_back(token);
      }
      const bool follows = config.learnable && random.uniform() < kFollows;
      token = follows ? next[static_cast<size_t>(token)] : static_cast<int32_t>(random.below(vocabulary));
    }
  }
  return tokens;
}

}  // namespace aaco
