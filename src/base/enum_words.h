// SPDX-License-Identifier: MIT
// The words of an enum whose values count from 0, in their order: how it is printed and how it is parsed, in one place.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace aaco {

template <class Enum, size_t kCount>
struct EnumWords {
  std::array<const char*, kCount> words;

  constexpr const char* of(Enum value) const { return words[static_cast<size_t>(value)]; }
  constexpr std::optional<Enum> parse(std::string_view text) const {
    for (size_t i = 0; i < kCount; ++i) {
      if (text == words[i]) {
        return static_cast<Enum>(i);
      }
    }
    return std::nullopt;
  }
};

}  // namespace aaco
