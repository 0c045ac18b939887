// SPDX-License-Identifier: MIT
#include "verdict/series/drawn_in.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "base/statistics.h"

namespace aaco {

namespace {

constexpr double kSigmaOfDeviation = 1.4826;  // a normal distribution's sigma over its median absolute deviation
// What more values do is no spike but a second mode. Drawn in where it is alone, and left where it comes in a row, it
// would look like a step.
constexpr double kSpikeShare = 0.1;

double median_of_window(std::span<const double> window, std::vector<double>& scratch) {
  scratch.assign(window.begin(), window.end());
  std::sort(scratch.begin(), scratch.end());
  const size_t half = scratch.size() / 2;
  return scratch.size() % 2 == 1 ? scratch[half] : (scratch[half - 1] + scratch[half]) / 2;
}

double deviation_sigma(std::span<const double> sizes) { return kSigmaOfDeviation * median(sizes).value_or(0); }

// Mean square of differences at a distance, those over 3 sigma drawn in.
double mean_square_step(std::span<const double> values, size_t distance) {
  std::vector<double> sizes;
  for (size_t i = distance; i < values.size(); ++i) {
    sizes.push_back(std::abs(values[i] - values[i - distance]));
  }
  const double limit = 3 * deviation_sigma(sizes);
  double sum = 0;
  for (const double size : sizes) {
    const double kept = limit > 0 ? std::min(size, limit) : size;
    sum += kept * kept;
  }
  return sizes.empty() ? 0 : sum / static_cast<double>(sizes.size());
}

}  // namespace

double neighbour_correlation(std::span<const double> values) {
  const double near = mean_square_step(values, 1);
  return near > 0 ? std::clamp(mean_square_step(values, 2) / near - 1, 0.0, 1.0) : 0;
}

double neighbour_sigma(std::span<const double> values) {
  std::vector<double> steps;
  for (size_t i = 1; i < values.size(); ++i) {
    steps.push_back(std::abs(values[i] - values[i - 1]));
  }
  return deviation_sigma(steps) / std::numbers::sqrt2;
}

std::vector<double> drawn_in(std::span<const double> values, size_t reach, double sigmas) {
  std::vector<double> around(values.size());
  std::vector<double> distances(values.size());
  std::vector<double> scratch;
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t begin = i > reach ? i - reach : 0;
    const size_t end = std::min(values.size(), i + reach + 1);
    around[i] = median_of_window(values.subspan(begin, end - begin), scratch);
    distances[i] = std::abs(values[i] - around[i]);
  }
  double sigma = std::max(deviation_sigma(distances), neighbour_sigma(values));
  if (sigma == 0) {  // most values are equal: the rest says what there is of noise
    sigma = mean(distances).value_or(0);
  }
  const double reached = std::max(sigmas * sigma, quantile(distances, 1 - kSpikeShare).value_or(0));
  std::vector<double> result(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    result[i] = std::clamp(values[i], around[i] - reached, around[i] + reached);
  }
  return result;
}

}  // namespace aaco
