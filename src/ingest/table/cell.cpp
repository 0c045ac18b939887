// SPDX-License-Identifier: MIT
#include "ingest/table/cell.h"

#include <charconv>

namespace aaco {

Cell cell_of(std::string_view text, bool quoted) {
  Cell cell;
  cell.text = text;
  if (quoted || text.empty()) {
    cell.type = quoted ? Cell::Type::kText : Cell::Type::kNull;
    return cell;
  }
  const char* const end = text.data() + text.size();
  const bool as_written = text.find_first_not_of("0123456789-") == std::string_view::npos &&
                          !(text.size() > 1 && text[0] == '0') && !text.starts_with("-0");
  if (const auto [behind, error] = std::from_chars(text.data(), end, cell.integer);
      as_written && error == std::errc() && behind == end) {
    cell.type = Cell::Type::kInteger;
    return cell;
  }
  const auto [behind, error] = std::from_chars(text.data(), end, cell.real);
  const bool is_real = error == std::errc() && behind == end && text.find_first_of(".eE") != std::string_view::npos;
  cell.type = is_real ? Cell::Type::kReal : Cell::Type::kText;
  return cell;
}

std::optional<int64_t> integer_at_end(std::string_view text) {
  text.remove_suffix(text.ends_with(')') ? 1 : 0);
  const size_t first = text.find_last_not_of("0123456789") + 1;  // npos + 1 is 0
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + first, text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

}  // namespace aaco
