// SPDX-License-Identifier: MIT
// Columns with names, units and meanings: the one form in which rows travel between the recorder, the bundle's Parquet
// files and the analyses. A row type states its columns once (trace/rows.h); everything else follows from that list.
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

// One column of a row type: int64_t, double or std::string, or std::optional of one of them.
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

// Specialised per row type: `static constexpr const char* kName`, `kMeaning`, and `static auto columns()`, a tuple of
// RowColumn.
template <class Row>
struct RowSchema;

namespace table_detail {

template <class T>
struct Plain {
  using type = T;
  static constexpr bool kNullable = false;
};
template <class T>
struct Plain<std::optional<T>> {
  using type = T;
  static constexpr bool kNullable = true;
};

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
        const auto add = [&]<class T>(const RowColumn<Row, T>& one) {
          using Plain = table_detail::Plain<T>;
          infos.push_back(
              {one.name, table_detail::column_type<typename Plain::type>(), one.unit, one.meaning, Plain::kNullable});
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
  const auto add = [&]<class T>(const RowColumn<Row, T>& one) {
    using Plain = table_detail::Plain<T>;
    std::vector<typename Plain::type> values;
    std::vector<uint8_t> valid;
    values.reserve(rows.size());
    for (const Row& row : rows) {
      if constexpr (Plain::kNullable) {
        valid.push_back((row.*one.member).has_value());
        values.push_back((row.*one.member).value_or(typename Plain::type{}));
      } else {
        values.push_back(row.*one.member);
      }
    }
    table.columns.push_back({std::move(infos[next++]), std::move(values), std::move(valid)});
  };
  std::apply([&](const auto&... column) { (add(column), ...); }, RowSchema<Row>::columns());
  return table;
}

// Columns are found by name. A missing non-null column, a type that differs, or a null where none may be: kUsage naming
// it.
template <class Row>
Result<std::vector<Row>> from_table(const Table& table) {
  std::vector<Row> rows(table.row_count);
  std::optional<Error> failed;
  const auto take = [&]<class T>(const RowColumn<Row, T>& one) {
    using Plain = table_detail::Plain<T>;
    using Value = typename Plain::type;
    const TableColumn* column = table.find(one.name);
    if (failed || (column == nullptr && Plain::kNullable)) {
      return;
    }
    const auto* values = column == nullptr ? nullptr : std::get_if<std::vector<Value>>(&column->values);
    if (values == nullptr || values->size() != table.row_count) {
      failed = Error{
          ErrorKind::kUsage,
          "table " + table.name + ": column " + one.name + (column == nullptr ? " is missing" : " has another type"),
          "the file was not written by this version of aaco, or is damaged"};
      return;
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      const bool valid = column->valid.empty() || column->valid[i] != 0;
      if (valid) {
        rows[i].*one.member = (*values)[i];
      } else if constexpr (!Plain::kNullable) {
        failed = Error{ErrorKind::kUsage,
                       "table " + table.name + ": column " + one.name + " is null in row " + std::to_string(i),
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
