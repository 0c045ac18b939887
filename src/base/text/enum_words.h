// SPDX-License-Identifier: MIT
// The words of an enum whose values count from 0, in their order: how it is printed and how it is parsed, in one place.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace aaco {

template <class Enum, size_t kCount>
class EnumWords {
 public:
  constexpr explicit EnumWords(const std::array<const char*, kCount>& words) : words_(words) {}

  constexpr const char* of(Enum value) const { return words_[static_cast<size_t>(value)]; }
  constexpr std::optional<Enum> parse(std::string_view text) const {
    for (size_t i = 0; i < kCount; ++i) {
      if (text == words_[i]) {
        return static_cast<Enum>(i);
      }
    }
    return std::nullopt;
  }

  // "measured", or with a note "measured: note".
  std::string noted(Enum value, const std::string& note) const {
    const std::string word = of(value);
    return word + (word.empty() || note.empty() ? "" : kBeforeNote) + note;
  }
  // Never fails where the first word is "", of what is not known: a text that begins with no word is its note.
  std::pair<Enum, std::string> parse_noted(std::string_view text) const {
    const size_t end = text.find(kBeforeNote);
    const std::optional<Enum> value = parse(text.substr(0, end));
    if (!value || of(*value)[0] == '\0') {
      return {Enum{}, std::string(text)};
    }
    return {*value,
            end == std::string_view::npos ? "" : std::string(text.substr(end + std::string_view(kBeforeNote).size()))};
  }

 private:
  static constexpr const char* kBeforeNote = ": ";
  std::array<const char*, kCount> words_;
};

}  // namespace aaco
