// SPDX-License-Identifier: MIT
#include "guard/bisect/commit_posterior.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <vector>

namespace aaco {
namespace {

double uniform(std::mt19937_64& bits) { return static_cast<double>(bits() >> 11U) * 0x1p-53; }

// Near normal, with a run in fifty that another program slowed by 5 %.
double noise(std::mt19937_64& bits, double sigma) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) {
    sum += uniform(bits);
  }
  return sigma * sum + (uniform(bits) < 0.02 ? 0.05 : 0);
}

struct Search {
  size_t first_slow;
  CommitPosterior posterior;
};

Search search(std::mt19937_64& bits, size_t last, double change, double sigma, const BisectLimits& limits) {
  const size_t first_slow = 1 + static_cast<size_t>(uniform(bits) * static_cast<double>(last));
  CommitPosterior posterior(last);
  while (const std::optional<size_t> commit = posterior.next(limits)) {
    posterior.add(*commit, 3 + (*commit >= first_slow ? std::log1p(change) : 0) + noise(bits, sigma));
  }
  return {first_slow, posterior};
}

TEST(CommitPosterior, WithoutNoiseItIsABinarySearch) {
  for (size_t first_slow = 1; first_slow <= 128; ++first_slow) {
    CommitPosterior posterior(128);
    while (const std::optional<size_t> commit = posterior.next({})) {
      posterior.add(*commit, *commit >= first_slow ? 1 : 0);
    }
    EXPECT_EQ(posterior.likeliest().first, first_slow);
    EXPECT_LE(posterior.builds(), 2U + 7U);
  }
}

// 128 commits at +3 %: at least 95 % right with at most 20 builds.
TEST(CommitPosterior, WithNoiseItIsRight) {
  constexpr int kSearches = 200;
  std::mt19937_64 bits(1);
  int right = 0;
  for (int i = 0; i < kSearches; ++i) {
    const Search done = search(bits, 128, 0.03, 0.01, {});
    EXPECT_LE(done.posterior.builds(), 20U);
    EXPECT_LE(done.posterior.measurements(), 100U);
    right += done.posterior.likeliest().first == done.first_slow ? 1 : 0;
  }
  EXPECT_GE(right, kSearches * 95 / 100);
}

TEST(CommitPosterior, ProbabilitiesSumToOneAndStartEqual) {
  CommitPosterior posterior(4);
  posterior.add(0, 0.0);
  posterior.add(4, 0.1);
  const std::vector<double> probability = posterior.probabilities();
  EXPECT_THAT(probability, testing::Each(testing::DoubleNear(0.25, 1e-12)));
  posterior.add(2, 0.1);
  const std::vector<double> later = posterior.probabilities();
  EXPECT_NEAR(std::accumulate(later.begin(), later.end(), 0.0), 1, 1e-12);
  EXPECT_LE(posterior.likeliest().first, 2U);
}

// One run of a fast commit that took far longer, as when another program had the machine.
TEST(CommitPosterior, OneWildRunCostsLittle) {
  std::mt19937_64 bits(3);
  CommitPosterior posterior(64);
  bool is_wild = true;
  while (const std::optional<size_t> commit = posterior.next({})) {
    posterior.add(*commit, (*commit >= 41 ? 0.03 : 0) + noise(bits, 0.002) + (is_wild ? 0.5 : 0));
    is_wild = false;
  }
  EXPECT_EQ(posterior.likeliest().first, 41U);
  EXPECT_GE(posterior.likeliest().second, 0.998);
  EXPECT_LE(posterior.measurements(), 40U);
}

TEST(CommitPosterior, LimitsHold) {
  std::mt19937_64 bits(2);
  const Search done = search(bits, 128, 0.001, 0.05, {.builds = 6, .measurements = 30, .certainty = 0.998});
  EXPECT_LE(done.posterior.builds(), 6U);
  EXPECT_EQ(done.posterior.measurements(), 30U);
  EXPECT_LT(done.posterior.likeliest().second, 0.998);
}

// As bisect_run does it: pairs of both ends, then ratios to the good commit. 1.4 % is the noise of a pair.
TEST(CommitPosterior, BesideTheGoodCommitItIsRight) {
  constexpr int kSearches = 200;
  constexpr size_t kLast = 128;
  constexpr int kPairs = 12;
  std::mt19937_64 bits(4);
  int right = 0;
  for (int i = 0; i < kSearches; ++i) {
    const size_t first_slow = 1 + static_cast<size_t>(uniform(bits) * static_cast<double>(kLast));
    std::vector<double> changes;
    for (int pair = 0; pair < kPairs; ++pair) {
      changes.push_back(std::log1p(0.03) + noise(bits, 0.014));
    }
    CommitPosterior posterior(kLast);
    posterior.add_ends(changes);
    while (const std::optional<size_t> commit = posterior.next({})) {
      posterior.add(*commit, (*commit >= first_slow ? std::log1p(0.03) : 0) + noise(bits, 0.014));
    }
    right += posterior.likeliest().first == first_slow ? 1 : 0;
  }
  EXPECT_GE(right, kSearches * 95 / 100);
}

// The good end gets 0.01, 0, -0.01 and the bad one 0.02, 0.03, 0.04: each counts as half a value beside that of commit
// 1. If that one is slow, the squares around both means are 1e-4 and 6.4e-4; if it is fast, 1e-4 and 1e-4.
TEST(CommitPosterior, APairOfEndsCountsOnce) {
  CommitPosterior posterior(2);
  posterior.add_ends({0.02, 0.03, 0.04});
  posterior.add(1, 0.0);
  EXPECT_EQ(posterior.measurements(), 7U);
  const double ratio = std::pow((1e-4 + 7.4e-4 / 2) / (1e-4 + 2e-4 / 2), 2);  // exponent: 1 + (4 - 2) / 2
  EXPECT_NEAR(posterior.probabilities()[1], ratio / (1 + ratio), 1e-9);
}

// What does not build takes as long as what does.
TEST(CommitPosterior, AFailedBuildCountsAsABuild) {
  CommitPosterior posterior(128);
  posterior.add_ends({0.1, 0.1, 0.1, 0.1, 0.1});
  BisectLimits limits;
  limits.builds = 6;
  size_t failed = 0;
  while (const std::optional<size_t> commit = posterior.next(limits)) {
    posterior.skip(*commit);
    ++failed;
    ASSERT_LE(failed, 4U);
  }
  EXPECT_EQ(failed, 4U);
  EXPECT_EQ(posterior.builds(), 6U);
}

TEST(CommitPosterior, ASkippedCommitIsNotMeasured) {
  CommitPosterior posterior(2);
  posterior.skip(1);
  while (const std::optional<size_t> commit = posterior.next({})) {
    ASSERT_NE(*commit, 1U);
    posterior.add(*commit, *commit == 2 ? 1 : 0);
  }
  EXPECT_NEAR(posterior.likeliest().second, 0.5, 1e-9);
}

}  // namespace
}  // namespace aaco
