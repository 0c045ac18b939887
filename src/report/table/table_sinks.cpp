// SPDX-License-Identifier: MIT
#include "report/table/table_sinks.h"

#include <cmath>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/text/characters.h"
#include "report/table/csv_cell.h"

namespace aaco::report {

namespace {

constexpr size_t kLongestCell = 80;
constexpr size_t kMostTextRows = 100'000;

bool is_null(const TableColumn& column, size_t row) { return !column.valid.empty() && column.valid[row] == 0; }

std::string text_of(const TableColumn& column, size_t row) {
  if (const auto* reals = std::get_if<std::vector<double>>(&column.values); reals && std::isnan((*reals)[row])) {
    return "nan";  // whose sign means nothing
  }
  return std::visit([&](const auto& values) { return fmt::format("{}", values[row]); }, column.values);
}

class TextSink : public TableSink {
 public:
  std::string add(const Table& piece) override {
    if (rows_.empty()) {
      std::vector<std::string>& header = rows_.emplace_back();
      for (const TableColumn& column : piece.columns) {
        header.push_back(column.info.name);
      }
    }
    for (size_t i = 0; i < piece.row_count; ++i) {
      if (rows_.size() > kMostTextRows) {
        full_ = true;
        break;
      }
      std::vector<std::string>& row = rows_.emplace_back();
      for (const TableColumn& column : piece.columns) {
        row.push_back(is_null(column, i) ? "-" : shorten(text_of(column, i), kLongestCell));
      }
    }
    return "";
  }
  std::string end() override {
    return format_table(std::move(rows_)) +
           (full_ ? fmt::format("There are more than these {} rows: --csv or --json prints all.\n", kMostTextRows)
                  : "");
  }
  bool full() const override { return full_; }

 private:
  std::vector<std::vector<std::string>> rows_;  // the header first
  bool full_ = false;
};

class CsvSink : public TableSink {
 public:
  std::string add(const Table& piece) override {
    std::string text;
    const auto line = [&](const auto& cell_of) {
      for (size_t c = 0; c < piece.columns.size(); ++c) {
        text += (c == 0 ? "" : ",") + cell_of(piece.columns[c]);
      }
      text += '\n';
    };
    if (!std::exchange(began_, true)) {
      line([](const TableColumn& column) { return csv_cell(column.info.name); });
    }
    for (size_t i = 0; i < piece.row_count; ++i) {
      line([&](const TableColumn& column) { return is_null(column, i) ? std::string() : cell_of(column, i); });
    }
    return text;
  }
  std::string end() override { return ""; }

 private:
  static std::string cell_of(const TableColumn& column, size_t row) {
    const bool is_text = std::holds_alternative<std::vector<std::string>>(column.values);
    return is_text ? csv_cell(text_of(column, row)) : text_of(column, row);
  }

  bool began_ = false;
};

class JsonSink : public TableSink {
 public:
  std::string add(const Table& piece) override {
    std::string text;
    for (size_t i = 0; i < piece.row_count; ++i) {
      Json row = Json::object();
      for (const TableColumn& column : piece.columns) {
        row[column.info.name] = is_null(column, i)
                                    ? Json()
                                    : std::visit([&](const auto& values) { return Json(values[i]); }, column.values);
      }
      text += (std::exchange(began_, true) ? ",\n " : "[\n ") + json_text(row);
    }
    return text;
  }
  std::string end() override { return began_ ? "\n]\n" : "[]\n"; }

 private:
  bool began_ = false;
};

}  // namespace

std::unique_ptr<TableSink> make_table_sink(TableForm form) {
  switch (form) {
    case TableForm::kCsv:
      return std::make_unique<CsvSink>();
    case TableForm::kJson:
      return std::make_unique<JsonSink>();
    case TableForm::kText:
      break;
  }
  return std::make_unique<TextSink>();
}

}  // namespace aaco::report
