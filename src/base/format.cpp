// SPDX-License-Identifier: MIT
#include "base/format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

#include "base/text/characters.h"

namespace aaco {

namespace {

// `value` with `digits` significant digits and no exponent.
std::string significant(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) {
    return fmt::format("{:g}", value);
  }
  const int before_point = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  return fmt::format("{:.{}f}", value, std::clamp(digits - before_point, 0, 9));
}

struct Scale {
  double factor;
  std::string_view name;
};

constexpr std::array<Scale, 4> kTimes{{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}}};
constexpr std::array<Scale, 7> kPrefixes{
    {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}}};

template <size_t N>
const Scale& scale_for(const std::array<Scale, N>& scales, double value) {
  for (const Scale& scale : scales) {
    if (std::abs(value) >= scale.factor) {
      return scale;
    }
  }
  return scales.back();
}

const Scale& time_scale(double ns) { return ns == 0 ? kTimes.back() : scale_for(kTimes, ns); }

bool is_number(std::string_view cell) {
  const size_t first = cell.find_first_not_of("+-<~ ");
  return cell == "-" || (first <= 2 && std::isdigit(static_cast<unsigned char>(cell[first])) != 0);  // "-": no value
}

}  // namespace

std::string format_duration_ns(double ns) {
  const Scale& scale = time_scale(ns);
  return fmt::format("{} {}", significant(ns / scale.factor, 4), scale.name);
}

std::string format_estimate_ns(const Estimate& estimate) {
  if (!estimate.interval) {
    return format_duration_ns(estimate.value) + " [interval: needs 3 processes]";
  }
  const Scale& scale = time_scale(estimate.value);
  return fmt::format("{} {} [{}, {}]", significant(estimate.value / scale.factor, 4), scale.name,
                     significant(estimate.interval->low / scale.factor, 4),
                     significant(estimate.interval->high / scale.factor, 4));
}

std::string format_si(double value, std::string_view unit) {
  // A unit with a prefix of its own would get a second one: 0.0097 TFLOP/s are 9.70 GFLOP/s.
  for (const auto& [prefixed, factor] : {std::pair("TFLOP", 1e12), std::pair("GFLOP", 1e9)}) {
    if (unit.starts_with(prefixed)) {
      return format_si(value * factor, unit.substr(1));
    }
  }
  const Scale& scale = value == 0 ? kPrefixes[5] : scale_for(kPrefixes, value);
  return fmt::format("{} {}{}", significant(value / scale.factor, 3), scale.name, unit);
}

std::string format_percent(double fraction, int decimals) { return fmt::format("{:.{}f} %", fraction * 100, decimals); }

std::string format_table(std::vector<std::vector<std::string>> rows) {
  std::vector<size_t> widths;
  for (auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) {
      row[i] = printable(row[i]);
      widths[i] = std::max(widths[i], length_of(row[i]));
    }
  }
  // A column is right-aligned when its first body cell is a number, header included.
  std::vector<bool> right(widths.size());
  for (size_t i = 0; i < widths.size() && rows.size() > 1; ++i) {
    right[i] = i < rows[1].size() && is_number(rows[1][i]);
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - length_of(row[i]), ' ');
      line += (i > 0 ? "  " : "") + (right[i] ? padding + row[i] : row[i] + padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string toned(std::string_view text, Tone tone, int file_descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  if (::isatty(file_descriptor) != 1 || (no_colour != nullptr && *no_colour != '\0') ||
      (term != nullptr && std::strcmp(term, "dumb") == 0)) {
    return std::string(text);
  }
  const int colour = tone == Tone::kGood ? 32 : tone == Tone::kBad ? 31 : 33;
  return fmt::format("\033[1;{}m{}\033[0m", colour, text);
}

}  // namespace aaco
