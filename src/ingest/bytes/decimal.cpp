// SPDX-License-Identifier: MIT
#include "ingest/bytes/decimal.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>

namespace aaco {

namespace {

constexpr int kNanosecondDigits = 3;  // of a microsecond

// Appends decimal digits to a magnitude; false beyond 64 bits.
bool append(uint64_t& magnitude, uint64_t digit) {
  return !__builtin_mul_overflow(magnitude, uint64_t{10}, &magnitude) &&
         !__builtin_add_overflow(magnitude, digit, &magnitude);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct Parts {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  int64_t exponent = 0;
  bool valid = false;
};

Parts parts_of(std::string_view text) {
  Parts parts;
  if (!text.empty() && text.front() == '-') {
    parts.negative = true;
    text.remove_prefix(1);
  }
  const auto digits = [&] {
    const size_t count = static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
    const std::string_view run = text.substr(0, count);
    text.remove_prefix(count);
    return run;
  };
  parts.whole = digits();
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    parts.fraction = digits();
  }
  if (!text.empty() && (text.front() == 'e' || text.front() == 'E')) {
    text.remove_prefix(text.size() > 1 && text[1] == '+' ? 2 : 1);
    constexpr int64_t kFar = 1'000'000;  // an exponent beyond is as good as this one
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parts.exponent);
    if (error == std::errc::result_out_of_range) {
      parts.exponent = text.front() == '-' ? -kFar : kFar;
    } else if (error != std::errc()) {
      return parts;
    }
    parts.exponent = std::clamp(parts.exponent, -kFar, kFar);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
  }
  parts.valid = text.empty() && !parts.whole.empty();
  return parts;
}

// What profilers write: at most 16 digits, and at most three more behind the point.
std::optional<int64_t> plain(std::string_view text) {
  constexpr ptrdiff_t kMostDigits = 16;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 1000 - 1;
  const char* p = text.data();
  const char* const end = p + text.size();
  int64_t value = 0;
  const char* const first = p;
  const char* const last = end - p > kMostDigits ? p + kMostDigits : end;
  for (; p < last && is_digit(*p); ++p) {
    value = value * 10 + (*p - '0');
  }
  if (p == first || value > kMost) {
    return std::nullopt;
  }
  value *= 1000;
  if (p == end) {
    return value;
  }
  const ptrdiff_t decimals = end - p - 1;
  if (*p != '.' || decimals < 1 || decimals > kNanosecondDigits) {
    return std::nullopt;
  }
  for (int weight = 100; ++p < end; weight /= 10) {
    if (!is_digit(*p)) {
      return std::nullopt;
    }
    value += int64_t{weight} * (*p - '0');
  }
  return value;
}

}  // namespace

Nanoseconds nanoseconds_of_microseconds(std::string_view text) {
  if (const auto value = plain(text)) {
    return {*value, DecimalState::kExact};
  }
  const Parts parts = parts_of(text);
  if (!parts.valid) {
    return {0, DecimalState::kNoNumber};
  }
  // Digit i has the weight 10^(whole - 1 - i + exponent) us; those at or above a nanosecond are kept.
  const auto total = static_cast<int64_t>(parts.whole.size() + parts.fraction.size());
  const int64_t keep = static_cast<int64_t>(parts.whole.size()) + parts.exponent + kNanosecondDigits;
  uint64_t magnitude = 0;
  bool cut = false;
  for (int64_t i = 0; i < total; ++i) {
    const auto at = static_cast<size_t>(i);
    const char c = at < parts.whole.size() ? parts.whole[at] : parts.fraction[at - parts.whole.size()];
    if (i >= keep) {
      cut = cut || c != '0';
    } else if (!append(magnitude, static_cast<uint64_t>(c - '0'))) {
      return {0, DecimalState::kOutOfRange};
    }
  }
  for (int64_t i = total; i < keep && magnitude != 0; ++i) {
    if (!append(magnitude, 0)) {
      return {0, DecimalState::kOutOfRange};
    }
  }
  if (magnitude > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return {0, DecimalState::kOutOfRange};
  }
  const auto value = static_cast<int64_t>(magnitude);
  return {parts.negative ? -value : value, cut ? DecimalState::kCut : DecimalState::kExact};
}

}  // namespace aaco
