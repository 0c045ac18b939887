// SPDX-License-Identifier: MIT
#include "verdict/change/signed_ranks.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/statistics.h"

namespace aaco {

namespace {

constexpr double kFarSpread = 1.5;
// Above it the normal distribution stands in. Its tails are the heavier ones: the sum's excess kurtosis is negative.
constexpr size_t kMostExactPairs = 100;

// Means of two differences, each with itself too, ascending (Walsh averages).
std::vector<double> means_of_two(std::span<const double> differences) {
  std::vector<double> means;
  means.reserve(differences.size() * (differences.size() + 1) / 2);
  for (size_t i = 0; i < differences.size(); ++i) {
    for (size_t j = i; j < differences.size(); ++j) {
      means.push_back((differences[i] + differences[j]) / 2);
    }
  }
  std::ranges::sort(means);
  return means;
}

// The probability that the ranks of the positive differences add up to at most a sum, where signs are tosses of a coin.
class RankSums {
 public:
  explicit RankSums(size_t pairs) : pairs_(pairs) {
    if (pairs > kMostExactPairs) {
      return;
    }
    at_most_.assign(pairs * (pairs + 1) / 2 + 1, 0);
    at_most_[0] = 1;
    for (size_t rank = 1; rank <= pairs; ++rank) {  // the rank is in the sum or not, each with one half
      for (size_t sum = at_most_.size(); sum-- > 0;) {
        at_most_[sum] = (at_most_[sum] + (sum >= rank ? at_most_[sum - rank] : 0)) / 2;
      }
    }
    double below = 0;
    for (double& probability : at_most_) {
      below += probability;
      probability = below;
    }
  }

  double at_most(size_t sum) const {
    if (!at_most_.empty()) {
      return at_most_[std::min(sum, at_most_.size() - 1)];
    }
    const auto n = static_cast<double>(pairs_);
    const double centre = n * (n + 1) / 4;
    const double sigma = std::sqrt(n * (n + 1) * (2 * n + 1) / 24);
    const double z = (static_cast<double>(sum) + 0.5 - centre) / sigma;  // half a step to the sum above
    return std::erfc(-z / std::numbers::sqrt2) / 2;
  }

 private:
  size_t pairs_;
  std::vector<double> at_most_;
};

}  // namespace

bool has_far_pairs(std::span<const double> differences) {
  const auto spread = standard_deviation(differences);
  const auto of_middle = robust_sigma(differences);
  return spread && of_middle && *spread > kFarSpread * *of_middle;
}

size_t fewest_ranked_pairs(double tail) { return static_cast<size_t>(std::ceil(-std::log2(tail))); }

RankChange signed_rank_change(std::span<const double> differences, double tail) {
  const std::vector<double> means = means_of_two(differences);
  const RankSums sums(differences.size());
  RankChange change{*median(means), std::nullopt};
  size_t outside = 0;  // as many means may lie outside at either end
  while (outside < means.size() / 2 && sums.at_most(outside) <= tail) {
    ++outside;
  }
  if (outside > 0) {
    change.interval = Interval{means[outside - 1], means[means.size() - outside]};
  }
  return change;
}

double signed_rank_p_above(std::span<const double> differences, double shift) {
  const std::vector<double> means = means_of_two(differences);
  const auto above = std::ranges::upper_bound(means, shift);
  return RankSums(differences.size()).at_most(static_cast<size_t>(above - means.begin()));
}

}  // namespace aaco
