// SPDX-License-Identifier: MIT
// Numbers that people write, on a command line, in YAML or in a variable: the one place that says which texts are
// numbers. A whole number has decimal digits, or 0x and hexadecimal ones; any other is decimal, with a point or an
// exponent where it has one. A sign may come first. Blanks, nan, infinity, and what is too large for its type are
// refused.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace aaco {

// Both ends are allowed.
template <class T>
struct NumberRange {
  T least = std::numeric_limits<T>::lowest();
  T most = std::numeric_limits<T>::max();
};

// For what must be above 0 and need not be whole.
inline constexpr double kLeastAboveZero = std::numeric_limits<double>::denorm_min();

// T is int32_t, int64_t, uint64_t or double. Nothing where `text` is no such number.
template <class T>
std::optional<T> number_of_text(std::string_view text);
template <>
std::optional<int32_t> number_of_text(std::string_view text);
template <>
std::optional<int64_t> number_of_text(std::string_view text);
template <>
std::optional<uint64_t> number_of_text(std::string_view text);
template <>
std::optional<double> number_of_text(std::string_view text);

// "1048576", "256MiB", "2 GB", "1.5GiB": k, M, G, T, P, E alone or before B are powers of 1000, before i or iB of 1024,
// in any case. Nothing where `text` is no such size or has more bytes than a uint64_t holds.
std::optional<uint64_t> bytes_of_text(std::string_view text);
// "64MiB", the largest power of 1024 that gives a whole number; "1000 bytes".
std::string size_words(uint64_t bytes);
// "from 1MiB on", "from 4KiB to 1GiB".
std::string size_range_words(const NumberRange<uint64_t>& range);

// "from 0 to 7", "above 0", "from 0 on".
std::string range_words(const NumberRange<int64_t>& range);
std::string range_words(const NumberRange<uint64_t>& range);
std::string range_words(const NumberRange<double>& range);
inline std::string range_words(const NumberRange<int32_t>& range) {
  return range_words(NumberRange<int64_t>{range.least, range.most});
}

}  // namespace aaco
