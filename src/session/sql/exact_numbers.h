// SPDX-License-Identifier: MIT
// Integers and decimals of any width, read as texts, as numbers where those keep each digit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/table.h"

namespace aaco {

// Which numbers the texts of a column are.
enum class TextNumbers { kNone, kIntegers, kDecimals };

// By DuckDB's name of a type: kNone where BIGINT and DOUBLE hold each of its values, or where it is no number. DOUBLE
// keeps 15 digits of any decimal.
TextNumbers text_numbers_of(std::string_view duckdb_type);

// Makes columns of texts columns of numbers, each by itself: where all values of its first piece are exact as int64_t
// or double. The others stay texts.
class ExactNumbers {
 public:
  // One a column.
  explicit ExactNumbers(std::vector<TextNumbers> columns);

  // Errors: kUsage naming the column, where a value does not fit into the numbers that the first piece's became.
  Result<void> convert(Table& piece);

 private:
  std::vector<TextNumbers> columns_;  // kNone as soon as it is to stay
  bool is_first_ = true;
};

}  // namespace aaco
