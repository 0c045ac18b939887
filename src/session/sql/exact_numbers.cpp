// SPDX-License-Identifier: MIT
#include "session/sql/exact_numbers.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

namespace aaco {

namespace {

constexpr size_t kDoubleDigits = std::numeric_limits<double>::digits10;

// Of "-0012.500": 3, from the first to the last that is not 0.
size_t significant_digits(std::string_view decimal) {
  const size_t first = decimal.find_first_of("123456789");
  if (first == std::string_view::npos) {
    return 0;
  }
  const std::string_view digits = decimal.substr(first, decimal.find_last_of("123456789") - first + 1);
  return digits.size() - static_cast<size_t>(std::ranges::count(digits, '.'));
}

template <class T>
std::optional<T> exact(const std::string& text) {
  if (std::is_same_v<T, double> && significant_digits(text) > kDoubleDigits) {
    return std::nullopt;
  }
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

template <class T>
bool make_numbers(TableColumn& column, ColumnType type) {
  const auto& texts = std::get<std::vector<std::string>>(column.values);
  std::vector<T> numbers;
  numbers.reserve(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const bool is_null = column.info.nullable && column.valid[i] == 0;
    const std::optional<T> number = is_null ? T{} : exact<T>(texts[i]);
    if (!number) {
      return false;
    }
    numbers.push_back(*number);
  }
  column.values = std::move(numbers);
  column.info.type = type;
  return true;
}

Error misfit(const std::string& column, TextNumbers numbers) {
  const std::string text = fmt::format("CAST({} AS VARCHAR) gives the column as text", column);
  return numbers == TextNumbers::kIntegers
             ? Error{ErrorKind::kUsage, fmt::format("SQL: column {}: an integer does not fit into 64 bits", column),
                     text}
             : Error{ErrorKind::kUsage,
                     fmt::format("SQL: column {}: a decimal has more than the {} digits that a real number keeps",
                                 column, kDoubleDigits),
                     text + ", AS DOUBLE rounds it"};
}

}  // namespace

TextNumbers text_numbers_of(std::string_view duckdb_type) {
  if (duckdb_type == "HUGEINT" || duckdb_type == "UBIGINT" || duckdb_type == "UHUGEINT") {
    return TextNumbers::kIntegers;
  }
  constexpr std::string_view kDecimal = "DECIMAL(";  // DECIMAL(18,3)
  if (!duckdb_type.starts_with(kDecimal)) {
    return TextNumbers::kNone;
  }
  size_t digits = 0;
  duckdb_type.remove_prefix(kDecimal.size());
  const auto [end, error] = std::from_chars(duckdb_type.data(), duckdb_type.data() + duckdb_type.size(), digits);
  return error == std::errc() && digits <= kDoubleDigits ? TextNumbers::kNone : TextNumbers::kDecimals;
}

ExactNumbers::ExactNumbers(std::vector<TextNumbers> columns) : columns_(std::move(columns)) {}

Result<void> ExactNumbers::convert(Table& piece) {
  for (size_t c = 0; c < columns_.size(); ++c) {
    TableColumn& column = piece.columns.at(c);
    const bool fits = columns_[c] == TextNumbers::kNone ||
                      (columns_[c] == TextNumbers::kIntegers ? make_numbers<int64_t>(column, ColumnType::kInt64)
                                                             : make_numbers<double>(column, ColumnType::kDouble));
    if (!fits && !is_first_) {
      return misfit(column.info.name, columns_[c]);
    }
    columns_[c] = fits ? columns_[c] : TextNumbers::kNone;
  }
  is_first_ = false;
  return {};
}

}  // namespace aaco
