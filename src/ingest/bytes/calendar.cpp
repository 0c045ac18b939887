// SPDX-License-Identifier: MIT
#include "ingest/bytes/calendar.h"

#include <algorithm>
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

// Takes the digits behind the point of seconds; none are 0.
Nanoseconds take_fraction(std::string_view& text) {
  if (!text.starts_with('.')) {
    return {0, DecimalState::kExact};
  }
  const size_t end = std::min(text.find_first_not_of("0123456789", 1), text.size());
  const std::string_view fraction = text.substr(0, end);
  text.remove_prefix(end);
  return fraction.size() == 1 ? Nanoseconds{} : nanoseconds_of_microseconds("0" + std::string(fraction) + "e6");
}

// By how much the clock of a zone is ahead of UTC.
std::optional<int64_t> seconds_of_zone(std::string_view zone) {
  zone.remove_prefix(zone.starts_with(' ') && zone.size() > 1 ? 1 : 0);
  if (zone.empty() || zone == "Z") {
    return 0;
  }
  const int sign = zone.front() == '+' ? 1 : zone.front() == '-' ? -1 : 0;
  zone.remove_prefix(1);
  const auto hours = take(zone, 2, "");
  zone.remove_prefix(hours && zone.size() == 3 && zone.front() == ':' ? 1 : 0);
  const auto minutes = hours && !zone.empty() ? take(zone, 2, "") : std::optional(0);
  if (sign == 0 || !hours || !minutes || !zone.empty() || *hours > 23 || *minutes > 59) {
    return std::nullopt;
  }
  return int64_t{sign} * (*hours * 60 + *minutes) * 60;
}

}  // namespace

Nanoseconds nanoseconds_of_calendar(std::string_view text) {
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
  const Nanoseconds fraction = take_fraction(text);
  const auto ahead = seconds_of_zone(text);
  if (fraction.state == DecimalState::kNoNumber || !ahead) {
    return {};
  }
  const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const int64_t seconds = ((days * 24 + *hour) * 60 + *minute) * 60 + *second - *ahead;
  int64_t ns = 0;
  if (__builtin_mul_overflow(seconds, kSecond, &ns) || __builtin_add_overflow(ns, fraction.value, &ns)) {
    return {0, DecimalState::kOutOfRange};
  }
  return {ns, fraction.state};
}

}  // namespace aaco
