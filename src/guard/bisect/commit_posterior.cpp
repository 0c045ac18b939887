// SPDX-License-Identifier: MIT
#include "guard/bisect/commit_posterior.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "base/statistics.h"

namespace aaco {

namespace {

constexpr double kShape = 1;
constexpr double kScale = 0.01 * 0.01;
constexpr double kUsualSigmas = 2.5;
constexpr size_t kDeviationsForSigma = 4;
constexpr double kBuildCost = 2;     // of a measurement with its build, in measurements
constexpr double kLeastBits = 1e-6;  // below it an answer is known beforehand
constexpr double kOfPair = 0.5;      // weight of either value of a pair of ends

struct Sums {
  double count = 0;
  double sum = 0;
  double squares = 0;
};

double entropy(double probability) {
  const double p = std::clamp(probability, 1e-12, 1 - 1e-12);
  return -(p * std::log(p) + (1 - p) * std::log(1 - p));
}

}  // namespace

void CommitPosterior::add(size_t commit, double log_value, double weight) {
  measured_[commit].push_back(log_value);
  weights_[commit].push_back(weight);
}

void CommitPosterior::add_ends(const std::vector<double>& changes) {
  const double middle = median(changes).value_or(0);
  for (const double change : changes) {
    add(0, middle - change, kOfPair);
    add(last_, change, kOfPair);
  }
}

double CommitPosterior::repeat_sigma() const {
  std::vector<double> deviations;
  for (const std::vector<double>& values : measured_) {
    const double count = static_cast<double>(values.size());
    for (const double value : values) {
      if (values.size() > 1) {
        deviations.push_back((value - *median(values)) * std::sqrt(count / (count - 1)));
      }
    }
  }
  return deviations.size() < kDeviationsForSigma ? std::numeric_limits<double>::infinity()
                                                 : robust_sigma(deviations).value_or(0);
}

std::pair<double, double> CommitPosterior::usual_range() const {
  const double good = median(measured_.front()).value_or(0);
  const double bad = median(measured_.back()).value_or(0);
  const double reach = kUsualSigmas * repeat_sigma();
  return {std::min(good, bad) - reach, std::max(good, bad) + reach};
}

std::vector<double> CommitPosterior::probabilities() const {
  const auto [low, high] = usual_range();
  // Sums of commits up to and with each.
  std::vector<Sums> up_to(last_ + 1);
  Sums all;
  // Around the good end's first value, so that squares of differences keep their digits.
  const double origin = measured_.front().empty() ? 0 : measured_.front().front();
  for (size_t commit = 0; commit <= last_; ++commit) {
    for (size_t i = 0; i < measured_[commit].size(); ++i) {
      const double usual = std::clamp(measured_[commit][i], low, high) - origin;
      const double weight = weights_[commit][i];
      all.count += weight;
      all.sum += weight * usual;
      all.squares += weight * usual * usual;
    }
    up_to[commit] = all;
  }
  std::vector<double> weights(last_);
  double most = -std::numeric_limits<double>::infinity();
  for (size_t first_slow = 1; first_slow <= last_; ++first_slow) {
    const Sums& fast = up_to[first_slow - 1];
    const double slow_count = all.count - fast.count;
    const double slow_sum = all.sum - fast.sum;
    const double around =
        std::max(all.squares - fast.sum * fast.sum / fast.count - slow_sum * slow_sum / slow_count, 0.0);
    const double log_weight =
        -0.5 * std::log(fast.count * slow_count) - (kShape + (all.count - 2) / 2) * std::log(kScale + around / 2);
    weights[first_slow - 1] = log_weight;
    most = std::max(most, log_weight);
  }
  double total = 0;
  for (double& weight : weights) {
    weight = std::exp(weight - most);
    total += weight;
  }
  for (double& weight : weights) {
    weight /= total;
  }
  return weights;
}

std::pair<size_t, double> CommitPosterior::likeliest() const {
  const std::vector<double> probability = probabilities();
  const auto most = std::max_element(probability.begin(), probability.end());
  return {static_cast<size_t>(std::distance(probability.begin(), most)) + 1, *most};
}

bool CommitPosterior::can_measure(size_t commit, const BisectLimits& limits) const {
  return !skipped_[commit] && (!measured_[commit].empty() || builds() < limits.builds);
}

std::optional<size_t> CommitPosterior::unconfirmed(size_t first_slow, const BisectLimits& limits) const {
  for (const size_t commit : {first_slow - 1, first_slow}) {
    if (measured_[commit].size() < kConfirmations && can_measure(commit, limits)) {
      return commit;
    }
  }
  return std::nullopt;
}

std::optional<size_t> CommitPosterior::next(const BisectLimits& limits) const {
  if (measurements() >= limits.measurements) {
    return std::nullopt;
  }
  const std::vector<double>& good = measured_.front();
  const std::vector<double>& bad = measured_.back();
  if (good.size() < kEndMeasurements || bad.size() < kEndMeasurements) {  // in turns: the machine drifts
    return good.size() <= bad.size() ? 0 : last_;
  }
  const std::vector<double> probability = probabilities();
  const auto most = std::max_element(probability.begin(), probability.end());
  if (*most >= limits.certainty) {
    return unconfirmed(static_cast<size_t>(std::distance(probability.begin(), most)) + 1, limits);
  }
  std::optional<size_t> best;
  double best_bits = kLeastBits;
  double is_slow = 0;
  for (size_t commit = 1; commit < last_; ++commit) {
    is_slow += probability[commit - 1];
    const double bits = entropy(is_slow) / (measured_[commit].empty() ? kBuildCost : 1);
    if (bits > best_bits && can_measure(commit, limits)) {
      best = commit;
      best_bits = bits;
    }
  }
  return best;
}

size_t CommitPosterior::builds() const {
  size_t count = 0;
  for (size_t commit = 0; commit <= last_; ++commit) {
    if (!measured_[commit].empty() || skipped_[commit]) {
      ++count;
    }
  }
  return count;
}

size_t CommitPosterior::measurements() const {
  size_t count = 0;
  for (const std::vector<double>& values : measured_) {
    count += values.size();
  }
  return count;
}

}  // namespace aaco
