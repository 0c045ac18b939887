// SPDX-License-Identifier: MIT
#include "ingest/table/folded_rows.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace aaco {

FoldedRows::FoldedRows(const TableKind& kind, std::span<const std::string_view> columns, std::string name,
                       TableRows& rows, EventTable& into)
    : name_(std::move(name)),
      rows_(rows),
      table_(into),
      is_key_(columns.size()),
      is_value_(columns.size()),
      value_name_(columns.size()),
      value_(columns.size()) {
  for (size_t i = 0; i < columns.size(); ++i) {
    is_key_[i] = std::any_of(kind.event_of.begin(), kind.event_of.end(),
                             [&](std::string_view key) { return same_column(key, columns[i]); });
    for (const TableColumn& column : kind.columns) {
      const bool is_it = same_column(column.name, columns[i]);
      value_name_ = is_it && column.role == ColumnRole::kValueName ? i : value_name_;
      value_ = is_it && column.role == ColumnRole::kValue ? i : value_;
    }
  }
  for (const size_t column : {value_name_, value_}) {
    if (column < columns.size()) {
      is_value_[column] = true;
    }
  }
}

FoldedRows::Folded& FoldedRows::folded_of(std::span<const Cell> cells, uint64_t row) {
  key_.assign(1, '\n');  // no key is the empty text, which every table of strings holds
  for (size_t i = 0; i < cells.size(); ++i) {
    if (is_key_[i]) {
      key_ += fmt::format("{}:{}", cells[i].text.size(), cells[i].text);
    }
  }
  const size_t at = keys_.intern(key_) - 1;
  if (at == folded_.size()) {
    folded_.push_back({std::vector<Cell>(cells.size()), {}, row});
  }
  return folded_[at];
}

void FoldedRows::add_duplicate(uint64_t row) {
  table_.losses.add(Loss::kDuplicateKey, [&] { return fmt::format("{}: row {}", name_, row); });
}

void FoldedRows::take_common(Folded& folded, std::span<const Cell> cells, uint64_t row) {
  bool differs = false;
  for (size_t i = 0; i < cells.size(); ++i) {
    Cell& common = folded.cells[i];
    if (is_value_[i] || cells[i].type == Cell::Type::kNull) {
      continue;
    }
    differs = differs || (common.type != Cell::Type::kNull && common.text != cells[i].text);
    if (common.type == Cell::Type::kNull || common.text != cells[i].text) {
      common = cells[i];
      common.text = table_.strings[table_.strings.intern(cells[i].text)];
    }
  }
  if (differs) {
    add_duplicate(row);
  }
}

void FoldedRows::add(std::span<const Cell> cells, uint64_t row) {
  Folded& folded = folded_of(cells, row);
  take_common(folded, cells, row);
  if (value_name_ < cells.size() && value_ < cells.size()) {
    if (const auto value = argument_of(table_.strings.intern(cells[value_name_].text), cells[value_], table_.strings)) {
      folded.values.push_back(*value);
    }
  }
}

void FoldedRows::finish() {
  std::vector<StringId> names;
  for (const Folded& folded : folded_) {
    names.clear();
    for (const Argument& value : folded.values) {
      names.push_back(value.key);
    }
    std::sort(names.begin(), names.end());
    if (std::adjacent_find(names.begin(), names.end()) != names.end()) {
      add_duplicate(folded.row);
    }
    rows_.add(folded.cells, folded.row, folded.values);
  }
  folded_.clear();
}

}  // namespace aaco
