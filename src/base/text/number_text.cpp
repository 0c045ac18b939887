// SPDX-License-Identifier: MIT
#include "base/text/number_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace aaco {

namespace {

// std::from_chars takes no plus sign.
std::string_view without_plus(std::string_view text) {
  const bool has_plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  return has_plus ? text.substr(1) : text;
}

template <class T, class... Base>
std::optional<T> whole_text(std::string_view text, Base... base) {
  T value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, base...);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

template <class T>
std::optional<T> whole_number(std::string_view text) {
  text = without_plus(text);
  if (text.starts_with("0x") || text.starts_with("0X")) {
    const std::string_view digits = text.substr(2);
    return digits.starts_with('-') ? std::nullopt : whole_text<T>(digits, 16);
  }
  return whole_text<T>(text);
}

// The power of a prefix, 0 where there is none; nothing for another letter.
std::optional<int> power_of(char prefix) {
  constexpr std::string_view kPrefixes = "kmgtpe";
  const size_t at = kPrefixes.find(prefix);
  return at == std::string_view::npos ? std::nullopt : std::optional(static_cast<int>(at) + 1);
}

// The factor of a unit in lower case: "", "b", "k", "kb", "ki", "kib", ...
std::optional<uint64_t> factor_of(std::string_view unit) {
  if (unit.empty() || unit == "b") {
    return 1;
  }
  const std::optional<int> power = power_of(unit.front());
  const std::string_view rest = unit.substr(1);
  if (!power || !(rest.empty() || rest == "b" || rest == "i" || rest == "ib")) {
    return std::nullopt;
  }
  uint64_t factor = 1;
  for (int i = 0; i < *power; ++i) {
    factor *= rest.starts_with('i') ? 1024 : 1000;
  }
  return factor;
}

}  // namespace

template <>
std::optional<int32_t> number_of_text(std::string_view text) {
  return whole_number<int32_t>(text);
}

template <>
std::optional<int64_t> number_of_text(std::string_view text) {
  return whole_number<int64_t>(text);
}

template <>
std::optional<uint64_t> number_of_text(std::string_view text) {
  return whole_number<uint64_t>(text);
}

template <>
std::optional<double> number_of_text(std::string_view text) {
  const std::optional<double> value = whole_text<double>(without_plus(text));
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<uint64_t> bytes_of_text(std::string_view text) {
  const size_t digits_end = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::optional<uint64_t> number = whole_text<uint64_t>(text.substr(0, digits_end));
  const bool has_fraction = text.substr(digits_end).starts_with('.');
  const size_t fraction_start = digits_end + (has_fraction ? 1 : 0);
  const size_t number_end =
      has_fraction ? std::min(text.find_first_not_of("0123456789", fraction_start), text.size()) : digits_end;
  const std::string_view fraction = text.substr(fraction_start, number_end - fraction_start);
  const size_t unit_start = text.find_first_not_of(' ', number_end);
  if (unit_start == std::string_view::npos && number_end < text.size()) {  // blanks alone
    return std::nullopt;
  }
  std::string unit(text.substr(std::min(unit_start, text.size())));
  std::ranges::transform(unit, unit.begin(), [](unsigned char letter) { return std::tolower(letter); });
  const std::optional<uint64_t> factor = factor_of(unit);
  uint64_t bytes = 0;
  if (!number || !factor || __builtin_mul_overflow(*number, *factor, &bytes)) {
    return std::nullopt;
  }
  if (has_fraction && (fraction.empty() || *factor == 1)) {  // no part of a byte
    return std::nullopt;
  }
  double part = 0;
  for (size_t i = fraction.size(); i-- > 0;) {
    part = (part + (fraction[i] - '0')) / 10;
  }
  const auto part_bytes = static_cast<uint64_t>(part * static_cast<double>(*factor));
  return __builtin_add_overflow(bytes, part_bytes, &bytes) ? std::nullopt : std::optional(bytes);
}

std::string size_words(uint64_t bytes) {
  constexpr std::string_view kPrefixes = "KMGTPE";
  size_t power = 0;
  while (power < kPrefixes.size() && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++power;
  }
  return power == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{}{}iB", bytes, kPrefixes[power - 1]);
}

std::string size_range_words(const NumberRange<uint64_t>& range) {
  return range.most == std::numeric_limits<uint64_t>::max()
             ? fmt::format("from {} on", size_words(range.least))
             : fmt::format("from {} to {}", size_words(range.least), size_words(range.most));
}

std::string range_words(const NumberRange<int64_t>& range) {
  return fmt::format("from {} to {}", range.least, range.most);
}

std::string range_words(const NumberRange<uint64_t>& range) {
  return fmt::format("from {} to {}", range.least, range.most);
}

std::string range_words(const NumberRange<double>& range) {
  const bool has_most = range.most < std::numeric_limits<double>::max();
  if (range.least == kLeastAboveZero) {
    return has_most ? fmt::format("above 0 and at most {}", range.most) : "above 0";
  }
  return has_most ? fmt::format("from {} to {}", range.least, range.most) : fmt::format("from {} on", range.least);
}

}  // namespace aaco
