// SPDX-License-Identifier: MIT
#include "monitor/store/stretch_name.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>

#include "base/text/number_text.h"

namespace aaco {

namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr size_t kTimeBytes = 16;  // "20261128T020000Z"
constexpr std::string_view kEnding = ".parquet";

}  // namespace

std::string stretch_name(std::string_view table, int64_t wall_ns, int number) {
  const time_t seconds = wall_ns / kSecondNs;
  tm calendar{};
  ::gmtime_r(&seconds, &calendar);
  return fmt::format("{}-{:04}{:02}{:02}T{:02}{:02}{:02}Z{}{}", table, calendar.tm_year + 1900, calendar.tm_mon + 1,
                     calendar.tm_mday, calendar.tm_hour, calendar.tm_min, calendar.tm_sec,
                     number == 0 ? "" : "-" + std::to_string(number), kEnding);
}

std::optional<int64_t> stretch_start_ns(std::string_view name, std::initializer_list<std::string_view> tables) {
  for (const std::string_view table : tables) {
    if (!name.starts_with(table) || name.size() < table.size() + 1 + kTimeBytes + kEnding.size()) {
      continue;
    }
    const std::string time(name.substr(table.size() + 1, kTimeBytes));
    tm calendar{};
    const char* const end = ::strptime(time.c_str(), "%Y%m%dT%H%M%SZ", &calendar);
    const int64_t start_ns = int64_t{::timegm(&calendar)} * kSecondNs;
    const std::string_view rest = name.substr(table.size() + 1 + kTimeBytes);
    const std::string_view number = rest.substr(0, rest.size() - kEnding.size());
    const bool is_number = number.empty() || (number.size() > 1 && number.front() == '-' &&
                                              number_of_text<uint64_t>(number.substr(1)).has_value());
    // Written again, it is the same: strptime also takes what has fewer digits or blanks.
    if (end != nullptr && *end == '\0' && rest.ends_with(kEnding) && is_number &&
        stretch_name(table, start_ns, 0).substr(0, table.size() + 1 + kTimeBytes) ==
            name.substr(0, table.size() + 1 + kTimeBytes)) {
      return start_ns;
    }
  }
  return std::nullopt;
}

}  // namespace aaco
