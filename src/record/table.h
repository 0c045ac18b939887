// SPDX-License-Identifier: MIT
// Columns with names, units and meanings: the one form in which rows travel between the recorder, the bundle's Parquet
// files and the analyses. A row type states its columns once (record/rows.h); everything else follows from that list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/text/enum_words.h"

namespace aaco {

enum class ColumnType { kInt64, kDouble, kString };

struct ColumnInfo {
  std::string name;
  ColumnType type = ColumnType::kInt64;
  std::string unit;     // "ns", "bytes", "1" for counts and ratios, "" for text
  std::string meaning;  // one line for docs/data_schema.md
  bool nullable = false;
};

struct TableColumn {
  ColumnInfo info;
  std::variant<std::vector<int64_t>, std::vector<double>, std::vector<std::string>> values;
  std::vector<uint8_t> valid;  // one per row where nullable, else empty
};

struct Table {
  std::string name;
  std::vector<TableColumn> columns;
  size_t row_count = 0;

  const TableColumn* find(std::string_view column) const {
    for (const TableColumn& candidate : columns) {
      if (candidate.info.name == column) {
        return &candidate;
      }
    }
    return nullptr;
  }
};

// One column of a row type: int64_t, double, std::string or an enum with words (a text in the table), or std::optional
// of one of them.
template <class Row, class T>
struct RowColumn {
  const char* name;
  T Row::* member;
  const char* unit;
  const char* meaning;
};

template <class Row, class T>
constexpr RowColumn<Row, T> row_column(const char* name, T Row::* member, const char* unit, const char* meaning) {
  return {name, member, unit, meaning};
}

// Specialised per row type: `static constexpr const char* kName`, `kMeaning`, and `columns()`, a tuple of RowColumn. It
// is a template over the row type, so that only a file that uses the columns builds the tuple's type: 0.5 s a file.
template <class Row>
struct RowSchema;

namespace table_detail {

template <class T>
struct Plain {
  using type = T;
  using CellValue = std::conditional_t<HasWords<T>, std::string, T>;
  static constexpr bool kNullable = false;
};
template <class T>
struct Plain<std::optional<T>> : Plain<T> {
  static constexpr bool kNullable = true;
};

// As the table holds it.
template <class T>
auto stored(const T& value) {
  if constexpr (HasWords<T>) {
    return std::string(word_of(value));
  } else {
    return value;
  }
}

// False for a text that is none of the enum's words.
template <class From, class T>
bool restore(const From& value, T& target) {
  using Value = typename Plain<T>::type;
  if constexpr (HasWords<Value>) {
    const std::optional<Value> parsed = parse_word<Value>(value);
    target = parsed.value_or(Value{});
    return parsed.has_value();
  } else {
    target = value;
    return true;
  }
}

template <class T>
constexpr ColumnType column_type() {
  if constexpr (std::is_same_v<T, int64_t>) {
    return ColumnType::kInt64;
  } else if constexpr (std::is_same_v<T, double>) {
    return ColumnType::kDouble;
  } else {
    static_assert(std::is_same_v<T, std::string>, "columns hold int64_t, double or std::string");
    return ColumnType::kString;
  }
}

}  // namespace table_detail

template <class Row>
std::vector<ColumnInfo> column_infos() {
  std::vector<ColumnInfo> infos;
  std::apply(
      [&](const auto&... column) {
        const auto add = [&]<class T>(const RowColumn<Row, T>& field) {
          using Plain = table_detail::Plain<T>;
          infos.push_back({field.name, table_detail::column_type<typename Plain::CellValue>(), field.unit,
                           field.meaning, Plain::kNullable});
        };
        (add(column), ...);
      },
      RowSchema<Row>::columns());
  return infos;
}

template <class Row>
Table to_table(const std::vector<Row>& rows) {
  Table table{RowSchema<Row>::kName, {}, rows.size()};
  std::vector<ColumnInfo> infos = column_infos<Row>();
  size_t next = 0;
  const auto add = [&]<class T>(const RowColumn<Row, T>& field) {
    using Plain = table_detail::Plain<T>;
    std::vector<typename Plain::CellValue> values;
    std::vector<uint8_t> valid;
    values.reserve(rows.size());
    for (const Row& row : rows) {
      if constexpr (Plain::kNullable) {
        valid.push_back((row.*field.member).has_value());
        values.push_back(table_detail::stored((row.*field.member).value_or(typename Plain::type{})));
      } else {
        values.push_back(table_detail::stored(row.*field.member));
      }
    }
    table.columns.push_back({std::move(infos[next++]), std::move(values), std::move(valid)});
  };
  std::apply([&](const auto&... column) { (add(column), ...); }, RowSchema<Row>::columns());
  return table;
}

// Columns are found by name. A missing non-null column, a type that differs, a null where none may be, or a word that
// the column's enum does not have: kUsage naming it.
template <class Row>
Result<std::vector<Row>> from_table(const Table& table) {
  std::vector<Row> rows(table.row_count);
  std::optional<Error> failed;
  const auto take = [&]<class T>(const RowColumn<Row, T>& field) {
    using Plain = table_detail::Plain<T>;
    using Value = typename Plain::CellValue;
    const TableColumn* column = table.find(field.name);
    if (failed || (column == nullptr && Plain::kNullable)) {
      return;
    }
    const auto* values = column == nullptr ? nullptr : std::get_if<std::vector<Value>>(&column->values);
    if (values == nullptr || values->size() != table.row_count) {
      failed = Error{
          ErrorKind::kUsage,
          "table " + table.name + ": column " + field.name + (column == nullptr ? " is missing" : " has another type"),
          "the file was not written by this version of aaco, or is damaged"};
      return;
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      const bool valid = column->valid.empty() || column->valid[i] != 0;
      if (valid) {
        if (!table_detail::restore((*values)[i], rows[i].*field.member)) {
          failed = Error{ErrorKind::kUsage,
                         "table " + table.name + ": column " + field.name +
                             " holds a word that is none of its own in row " + std::to_string(i),
                         "the file was not written by this version of aaco, or is damaged"};
          return;
        }
      } else if constexpr (!Plain::kNullable) {
        failed = Error{ErrorKind::kUsage,
                       "table " + table.name + ": column " + field.name + " is null in row " + std::to_string(i),
                       "the file is damaged"};
        return;
      }
    }
  };
  std::apply([&](const auto&... column) { (take(column), ...); }, RowSchema<Row>::columns());
  if (failed) {
    return *failed;
  }
  return rows;
}

}  // namespace aaco
