// SPDX-License-Identifier: MIT
// A value of a table's row, whatever the table is written in.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace aaco {

struct Cell {
  enum class Type : uint8_t { kNull, kInteger, kReal, kText };
  Type type = Type::kNull;
  bool is_lasting = false;  // its text stays where it is as long as anything is read
  int64_t integer = 0;
  double real = 0;
  std::string_view text;  // of a text, and of a real number that was read from one
};

// A cell of a text table: an integer or a real number only where that is exactly what stands there; empty and unquoted
// is null, quoted a text.
Cell cell_of(std::string_view text, bool quoted);

// The number that a text ends with: 4 of "Agent 4", 0 of "NVIDIA H200 (0)".
std::optional<int64_t> integer_at_end(std::string_view text);

}  // namespace aaco
