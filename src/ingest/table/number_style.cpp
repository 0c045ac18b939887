// SPDX-License-Identifier: MIT
#include "ingest/table/number_style.h"

#include <algorithm>

namespace aaco {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool all_digits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

// Digits in groups of three, if there is a separator: the first of one to three, and no leading zero.
bool is_grouped(std::string_view text, char separator) {
  const size_t first = std::min(text.find(separator), text.size());
  if (first == text.size()) {
    return all_digits(text);
  }
  if (first == 0 || first > 3 || text.front() == '0' || !all_digits(text.substr(0, first))) {
    return false;
  }
  for (size_t at = first; at < text.size(); at += 4) {
    if (text[at] != separator || text.size() - at < 4 || !all_digits(text.substr(at + 1, 3))) {
      return false;
    }
  }
  return true;
}

bool is_number(std::string_view text, char decimal, char group) {
  const size_t point = std::min(text.find(decimal), text.size());
  return is_grouped(text.substr(0, point), group) && (point == text.size() || all_digits(text.substr(point + 1)));
}

}  // namespace

NumberStyle::Shape NumberStyle::shape_of(std::string_view text) {
  text.remove_prefix(text.starts_with('-') ? 1 : 0);
  if (text.find_first_of(",.") == std::string_view::npos) {
    return Shape::kPlain;
  }
  const bool point = is_number(text, '.', ',');
  const bool comma = is_number(text, ',', '.');
  return point && comma ? Shape::kEither : point ? Shape::kDecimalPoint : comma ? Shape::kDecimalComma : Shape::kPlain;
}

void NumberStyle::see(std::string_view text) {
  const Shape shape = shape_of(text);
  if (!known_ && (shape == Shape::kDecimalPoint || shape == Shape::kDecimalComma)) {
    known_ = true;
    has_decimal_comma_ = shape == Shape::kDecimalComma;
  }
}

std::optional<std::string> NumberStyle::plain(std::string_view text) const {
  const Shape shape = shape_of(text);
  std::string number(text);
  if (shape == Shape::kPlain || (shape == Shape::kEither && !known_ && text.find(',') == std::string_view::npos)) {
    return number;
  }
  const bool other_style = shape != Shape::kEither && (shape == Shape::kDecimalComma) != has_decimal_comma_;
  if (!known_ || other_style) {
    return std::nullopt;
  }
  std::erase(number, has_decimal_comma_ ? '.' : ',');
  std::replace(number.begin(), number.end(), ',', '.');
  return number;
}

}  // namespace aaco
