// SPDX-License-Identifier: MIT
#include "base/text/duration_text.h"

#include <cmath>

#include "base/text/number_text.h"

namespace aaco {

namespace {

constexpr int64_t kMillisecondNs = 1'000'000;
constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kLongestNs = 10'000 * 86'400 * kSecondNs;

struct Unit {
  std::string_view word;
  int64_t ns;
};
constexpr Unit kUnits[] = {{"d", 86'400 * kSecondNs},
                           {"h", 3600 * kSecondNs},
                           {"m", 60 * kSecondNs},
                           {"s", kSecondNs},
                           {"ms", kMillisecondNs}};

std::optional<int64_t> within_limit(double ns) {
  return ns >= 0 && ns <= static_cast<double>(kLongestNs) ? std::optional(std::llround(ns)) : std::nullopt;
}

}  // namespace

std::optional<int64_t> duration_ns_of_text(std::string_view text) {
  if (const std::optional<double> seconds = number_of_text<double>(text)) {
    return within_limit(*seconds * static_cast<double>(kSecondNs));
  }
  double sum = 0;
  int64_t last_unit_ns = INT64_MAX;
  while (!text.empty()) {
    const size_t digits = text.find_first_not_of("0123456789");
    if (digits == 0 || digits == std::string_view::npos) {
      return std::nullopt;
    }
    const std::string_view rest = text.substr(digits);
    const std::string_view word = rest.substr(0, rest.find_first_of("0123456789"));
    const std::optional<double> count = number_of_text<double>(text.substr(0, digits));
    const Unit* unit = nullptr;
    for (const Unit& candidate : kUnits) {
      unit = candidate.word == word ? &candidate : unit;
    }
    if (!count || unit == nullptr || unit->ns >= last_unit_ns) {
      return std::nullopt;
    }
    sum += *count * static_cast<double>(unit->ns);
    last_unit_ns = unit->ns;
    text.remove_prefix(digits + word.size());
  }
  return last_unit_ns == INT64_MAX ? std::nullopt : within_limit(sum);
}

std::string duration_text(int64_t ns) {
  std::string text;
  for (const Unit& unit : kUnits) {
    if (ns >= unit.ns) {
      text += std::to_string(ns / unit.ns) + std::string(unit.word);
      ns %= unit.ns;
    }
  }
  return text.empty() ? "0s" : text;
}

}  // namespace aaco
