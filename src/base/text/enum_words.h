// SPDX-License-Identifier: MIT
// The words of an enum whose values count from 0, in their order: how it is printed and how it is parsed, in one place.
// An enum whose kWordsOf stands beside it is written in JSON (base/json/json.h) and in tables (record/table.h) as its
// word. The first value is that of a word that is not known.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace aaco {

template <class Enum, size_t kCount>
class EnumWords {
 public:
  constexpr explicit EnumWords(const std::array<const char*, kCount>& words) : words_(words) {}

  constexpr const char* word(Enum value) const { return words_[static_cast<size_t>(value)]; }
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
    const std::string text = word(value);
    return text + (text.empty() || note.empty() ? "" : kBeforeNote) + note;
  }
  // Never fails where the first word is "", of what is not known: a text that begins with no word is its note.
  std::pair<Enum, std::string> parse_noted(std::string_view text) const {
    const size_t end = text.find(kBeforeNote);
    const std::optional<Enum> value = parse(text.substr(0, end));
    if (!value || word(*value)[0] == '\0') {
      return {Enum{}, std::string(text)};
    }
    return {*value,
            end == std::string_view::npos ? "" : std::string(text.substr(end + std::string_view(kBeforeNote).size()))};
  }

 private:
  static constexpr const char* kBeforeNote = ": ";
  std::array<const char*, kCount> words_;
};

// `template <> inline constexpr EnumWords<Fruit, 3> kWordsOf<Fruit>{{"", "apple", "star fruit"}};`
template <class Enum>
inline constexpr std::nullptr_t kWordsOf = nullptr;

template <class Enum>
concept HasWords = std::is_enum_v<Enum> && !std::is_null_pointer_v<std::remove_cv_t<decltype(kWordsOf<Enum>)>>;

template <HasWords Enum>
constexpr const char* word_of(Enum value) {
  return kWordsOf<Enum>.word(value);
}

template <HasWords Enum>
constexpr std::optional<Enum> parse_word(std::string_view text) {
  return kWordsOf<Enum>.parse(text);
}

}  // namespace aaco
