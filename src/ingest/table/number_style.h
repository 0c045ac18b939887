// SPDX-License-Identifier: MIT
// Numbers as a locale writes them: "1,234.50" and "1.234,50". Which one a table has is told by the numbers that only
// one of the two allows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace aaco {

class NumberStyle {
 public:
  // How a text can be read.
  enum class Shape : uint8_t {
    kPlain,         // no number, or one without separators
    kDecimalPoint,  // only so: "12.50", "1,234,567"
    kDecimalComma,  // only so: "12,50", "1.234.567"
    kEither,        // "1,234", "1.234"
  };
  static Shape shape_of(std::string_view text);

  // The first number that has one shape only decides.
  void see(std::string_view text);
  bool is_known() const { return known_; }

  // Whether what a text means depends on the style.
  static bool depends(std::string_view text) { return shape_of(text) == Shape::kEither; }

  // A number as C writes it, other texts as they are. None where the text is a number only in the other style, or where
  // the style is not known and a comma can be of decimals or of thousands; a single point is one of decimals then.
  std::optional<std::string> plain(std::string_view text) const;

 private:
  bool known_ = false;
  bool has_decimal_comma_ = false;
};

}  // namespace aaco
