// SPDX-License-Identifier: MIT
#include "ingest/bytes/calendar.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace aaco {

namespace {

constexpr int64_t kSecond = 1'000'000'000;

// Takes `digits` digits and then one of `behind`, which may be empty.
std::optional<int> take(std::string_view& text, size_t digits, std::string_view behind) {
  int value = 0;
  const size_t length = digits + (behind.empty() ? 0 : 1);
  if (text.size() < length || text.substr(0, digits).find_first_not_of("0123456789") != std::string_view::npos ||
      (!behind.empty() && behind.find(text[digits]) == std::string_view::npos)) {
    return std::nullopt;
  }
  for (const char digit : text.substr(0, digits)) {
    value = value * 10 + (digit - '0');
  }
  text.remove_prefix(length);
  return value;
}

}  // namespace

Nanoseconds nanoseconds_of_calendar(std::string_view text) {
  text.remove_suffix(text.ends_with('Z') ? 1 : 0);
  const auto year = take(text, 4, "/-");
  const auto month = year ? take(text, 2, "/-") : std::nullopt;
  const auto day = month ? take(text, 2, " T") : std::nullopt;
  const auto hour = day ? take(text, 2, ":") : std::nullopt;
  const auto minute = hour ? take(text, 2, ":") : std::nullopt;
  const auto second = minute ? take(text, 2, "") : std::nullopt;
  if (!second || *hour > 23 || *minute > 59 || *second > 60) {
    return {};
  }
  const std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) {
    return {};
  }
  Nanoseconds fraction{0, DecimalState::kExact};
  if (!text.empty()) {
    if (text.front() != '.' || text.find_first_not_of("0123456789", 1) != std::string_view::npos || text.size() == 1) {
      return {};
    }
    fraction = nanoseconds_of_microseconds("0" + std::string(text) + "e6");
  }
  const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const int64_t seconds = ((days * 24 + *hour) * 60 + *minute) * 60 + *second;
  int64_t ns = 0;
  if (__builtin_mul_overflow(seconds, kSecond, &ns) || __builtin_add_overflow(ns, fraction.value, &ns)) {
    return {0, DecimalState::kOutOfRange};
  }
  return {ns, fraction.state};
}

}  // namespace aaco
