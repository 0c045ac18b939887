// SPDX-License-Identifier: MIT
// bisect_simulation NOISE COMMITS CHANGE SEARCHES SEED: searches for the first slow commit (guard/bisect) with noise
// that was recorded: logarithms of the ratios of A/A pairs, a number a line in the file NOISE. Each pair gets one of
// them, drawn at random, with either sign: a pair of both ends, and a commit with the good one that is measured beside
// it. Prints JSON: right and given answer of each search (0: bad was not shown to be slower), its probability, builds,
// measurements, and runs of the command.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "guard/bisect/commit_posterior.h"
#include "guard/bisect/search_ends.h"
#include "guard/sequential/looks.h"

namespace {

class Noise {
 public:
  Noise(std::vector<double> values, size_t seed) : values_(std::move(values)), bits_(seed) {}

  size_t drawn(size_t count) {
    return static_cast<size_t>(static_cast<double>(bits_() >> 11U) * 0x1p-53 * static_cast<double>(count));
  }
  double of_pair() {
    const double value = values_[drawn(values_.size())];
    return drawn(2) == 0 ? value : -value;
  }

 private:
  std::vector<double> values_;
  std::mt19937_64 bits_;
};

// Until one of the looks shows that bad is slower; none where none does. What a single run varies by is not in the
// noise, so the good one's value stands still, and the two levels are judged by the spread of the pairs.
std::optional<aaco::EndValues> slower_ends(Noise& noise, double change) {
  aaco::EndValues ends;
  for (const aaco::Look& look : aaco::looks_at_ends({})) {
    while (static_cast<int64_t>(ends.good.size()) < look.pairs) {
      ends.good.push_back(0);
      ends.bad.push_back(change + noise.of_pair());
    }
    if (aaco::bad_is_slower(ends, look.level)) {
      return ends;
    }
  }
  return std::nullopt;
}

void search(Noise& noise, size_t commits, double change) {
  const size_t first_slow = 1 + noise.drawn(commits);
  const std::optional<aaco::EndValues> ends = slower_ends(noise, change);
  if (!ends) {
    const size_t most = static_cast<size_t>(aaco::looks_at_ends({}).back().pairs);
    std::printf("[%zu, 0, 0, 2, %zu, %zu]", first_slow, 2 * most, 2 * most);
    return;
  }
  aaco::CommitPosterior posterior(commits);
  posterior.add_ends(aaco::changes_of(*ends));
  size_t runs = posterior.measurements();
  while (const std::optional<size_t> commit = posterior.next({})) {
    posterior.add(*commit, (*commit >= first_slow ? change : 0) + noise.of_pair());
    runs += 2;
  }
  const auto [answer, probability] = posterior.likeliest();
  std::printf("[%zu, %zu, %.6f, %zu, %zu, %zu]", first_slow, answer, probability, posterior.builds(),
              posterior.measurements(), runs);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: bisect_simulation NOISE COMMITS CHANGE SEARCHES SEED\n");
    return 2;
  }
  std::vector<double> values;
  std::ifstream file(argv[1]);
  for (double value = 0; file >> value;) {
    values.push_back(value);
  }
  const size_t commits = std::strtoull(argv[2], nullptr, 10);
  const double change = std::log1p(std::strtod(argv[3], nullptr));
  const size_t searches = std::strtoull(argv[4], nullptr, 10);
  if (values.empty() || commits == 0) {
    std::fprintf(stderr, "bisect_simulation: no noise, or no commits\n");
    return 2;
  }
  Noise noise(std::move(values), std::strtoull(argv[5], nullptr, 10));
  std::printf("{\"searches\": [");
  for (size_t i = 0; i < searches; ++i) {
    std::printf("%s\n", i == 0 ? "" : ",");
    search(noise, commits, change);
  }
  std::printf("]}\n");
  return 0;
}
