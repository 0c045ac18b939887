// SPDX-License-Identifier: MIT
#include "report/plot/ticks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace aaco::plot {

namespace {

using Scale = std::pair<double, const char*>;

constexpr std::array<Scale, 4> kTimes{{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}}};
constexpr std::array<Scale, 7> kPrefixes{
    {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}}};

constexpr std::array<Scale, 4> kThousands{{{1e9, "billion "}, {1e6, "million "}, {1e3, "thousand "}, {1, ""}}};

template <size_t N>
Scale scale_of(const std::array<Scale, N>& scales, double largest) {
  for (const Scale& scale : scales) {
    if (largest >= scale.first) {
      return scale;
    }
  }
  return scales.back();
}

// As report::format_in_unit(): a unit with a prefix of its own gets no second one, and things per second get a word.
std::pair<double, std::string> prefixed_unit(std::string_view unit, double largest) {
  const double own = unit.starts_with("TFLOP") ? 1e12 : unit.starts_with("GFLOP") ? 1e9 : 1;
  if (unit.ends_with("s/s") && unit != "bytes/s") {
    const Scale scale = scale_of(kThousands, largest);
    return {scale.first, scale.second + std::string(unit)};
  }
  const Scale scale = largest > 0 ? scale_of(kPrefixes, largest * own)
                                  : Scale{own, own > 1e9 ? "T"
                                               : own > 1 ? "G"
                                                         : ""};
  return {scale.first / own, scale.second + std::string(own > 1 ? unit.substr(1) : unit)};
}

// The factor by which values are divided, and the unit that the quotients have.
std::pair<double, std::string> unit_of(const Axis& axis, double largest) {
  switch (axis.quantity) {
    case Quantity::kDuration: {
      const Scale scale = scale_of(kTimes, largest);
      return {scale.first, scale.second};
    }
    case Quantity::kSi:
      return prefixed_unit(axis.unit, largest);
    case Quantity::kPercent:
      return {0.01, "%"};
    case Quantity::kNumber:
      break;
  }
  return {1, axis.unit};
}

std::string with_unit(const Axis& axis, double value) {
  const auto [factor, unit] = unit_of(axis, std::abs(value));
  const std::string number = fmt::format("{:.4g}", value / factor);
  return unit.empty() ? number : number + " " + unit;
}

std::string plain(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  return text.find_first_not_of("-0.") == std::string::npos ? fmt::format("{:.{}f}", 0.0, decimals) : text;
}

Ticks linear_ticks(const Axis& axis, double low, double high, int count) {
  const auto [factor, unit] = unit_of(axis, std::max(std::abs(low), std::abs(high)));
  Ticks ticks{{}, {}, unit};
  const double nice = nice_step((high - low) / factor, count);
  const double step = axis.whole_numbers ? std::max(1.0, nice) : nice;
  const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 9);
  const double first = std::ceil(low / factor / step - 1e-9);
  for (int i = 0; i <= 2 * count; ++i) {
    const double value = (first + i) * step;
    if (value * factor > high + (high - low) * 1e-9) {
      break;
    }
    ticks.positions.push_back(value * factor);
    ticks.labels.push_back(std::abs(value) >= 1e7 ? fmt::format("{:g}", value) : plain(value, decimals));
  }
  return ticks;
}

Ticks logarithmic_ticks(const Axis& axis, double low, double high, int count) {
  const double decades = std::log10(high / low);
  const std::vector<double> multiples = decades <= 1.5 ? std::vector<double>{1, 2, 5} : std::vector<double>{1};
  const int stride = std::max(1, static_cast<int>(std::ceil(decades / count)));
  Ticks ticks;
  for (const double value : axis.ticks) {
    ticks.positions.push_back(value);
    ticks.labels.push_back(with_unit(axis, value));
  }
  if (!axis.ticks.empty()) {
    return ticks;
  }
  const int last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
  for (int power = static_cast<int>(std::floor(std::log10(low))); power <= last; ++power) {
    if (power % stride != 0) {
      continue;
    }
    for (const double multiple : multiples) {
      const double value = multiple * std::pow(10.0, power);
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) {
        ticks.positions.push_back(value);
        ticks.labels.push_back(with_unit(axis, value));
      }
    }
  }
  return ticks;
}

}  // namespace

double nice_step(double range, int count) {
  const double raw = range / std::max(count, 1);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double multiple : {1.0, 2.0, 5.0}) {
    if (raw <= multiple * power * (1 + 1e-9)) {
      return multiple * power;
    }
  }
  return 10 * power;
}

Ticks make_ticks(const Axis& axis, double low, double high, int count) {
  return axis.logarithmic ? logarithmic_ticks(axis, low, high, count) : linear_ticks(axis, low, high, count);
}

}  // namespace aaco::plot
