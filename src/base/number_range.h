// SPDX-License-Identifier: MIT
// A number that somebody wrote, within its range or refused in one wording.
#pragma once

#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/result.h"
#include "base/text/number_text.h"

namespace aaco {

// kUsage: "--seed -1: not a whole number from 0 to 7". `name` says where `text` stands; `kind` is empty where the kind
// is right and the range is not.
inline Error refused_number(std::string_view name, std::string_view text, std::string_view kind,
                            std::string_view range) {
  return {ErrorKind::kUsage,
          fmt::format("{} {}: not {}{}", name, text.empty() ? "''" : text,
                      kind.empty() ? "" : fmt::format("a {} ", kind), range),
          "choose a number in that range"};
}

// Errors: kUsage with name, text and range where `text` is no number in `range`.
template <class T>
Result<T> number_within(std::string_view name, std::string_view text, const NumberRange<T>& range) {
  const std::optional<T> number = number_of_text<T>(text);
  if (number && *number >= range.least && *number <= range.most) {
    return *number;
  }
  constexpr const char* kKind = std::is_floating_point_v<T> ? "number" : "whole number";
  return refused_number(name, text, number ? "" : kKind, range_words(range));
}

}  // namespace aaco
