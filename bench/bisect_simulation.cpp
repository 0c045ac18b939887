// SPDX-License-Identifier: MIT
// bisect_simulation NOISE COMMITS CHANGE SEARCHES SEED: searches for the first slow commit (guard/bisect) with noise
// that was recorded: each measurement's logarithm gets a value of the file NOISE (a number a line), drawn at random,
// with either sign. Prints JSON: how often the answer is right, builds and measurements of each search.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <vector>

#include "guard/bisect/commit_posterior.h"

static size_t drawn(std::mt19937_64& bits, size_t count) {
  return static_cast<size_t>(static_cast<double>(bits() >> 11U) * 0x1p-53 * static_cast<double>(count));
}

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: bisect_simulation NOISE COMMITS CHANGE SEARCHES SEED\n");
    return 2;
  }
  std::vector<double> noise;
  std::ifstream file(argv[1]);
  for (double value = 0; file >> value;) {
    noise.push_back(value);
  }
  const size_t commits = std::strtoull(argv[2], nullptr, 10);
  const double change = std::log1p(std::strtod(argv[3], nullptr));
  const size_t searches = std::strtoull(argv[4], nullptr, 10);
  std::mt19937_64 bits(std::strtoull(argv[5], nullptr, 10));
  if (noise.empty() || commits == 0) {
    std::fprintf(stderr, "bisect_simulation: no noise, or no commits\n");
    return 2;
  }
  std::printf("{\"searches\": [");
  for (size_t i = 0; i < searches; ++i) {
    const size_t first_slow = 1 + drawn(bits, commits);
    aaco::CommitPosterior posterior(commits);
    while (const std::optional<size_t> commit = posterior.next({})) {
      const double error = noise[drawn(bits, noise.size())] * (drawn(bits, 2) == 0 ? 1 : -1);
      posterior.add(*commit, (*commit >= first_slow ? change : 0) + error);
    }
    const auto [answer, probability] = posterior.likeliest();
    std::printf("%s\n[%zu, %zu, %.6f, %zu, %zu]", i == 0 ? "" : ",", first_slow, answer, probability,
                posterior.builds(), posterior.measurements());
  }
  std::printf("]}\n");
  return 0;
}
