// SPDX-License-Identifier: MIT
#include "ingest/table/folded_rows.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <tuple>
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
    for (const ColumnMapping& column : kind.columns) {
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

uint64_t FoldedRows::event_of(std::span<const Cell> cells, uint64_t row) {
  key_.assign(1, '\n');  // no key is the empty text, which every table of strings holds
  for (size_t i = 0; i < cells.size(); ++i) {
    if (is_key_[i]) {
      key_ += fmt::format("{}:{}", cells[i].text.size(), cells[i].text);
    }
  }
  const uint64_t event = keys_.intern(key_) - 1;
  if (event == first_rows_.size()) {
    first_rows_.push_back(row);
    std::fill_n(commons_.extend(cells.size()), cells.size(), Common());
  }
  return event;
}

void FoldedRows::add_duplicate(uint64_t row) {
  table_.losses.add(Loss::kDuplicateKey, [&] { return fmt::format("{}: row {}", name_, row); });
}

void FoldedRows::take_common(uint64_t event, std::span<const Cell> cells, uint64_t row) {
  bool differs = false;
  for (size_t i = 0; i < cells.size(); ++i) {
    Common& common = commons_[event * cells.size() + i];
    const Cell& cell = cells[i];
    if (is_value_[i] || cell.type == Cell::Type::kNull) {
      continue;
    }
    const bool is_new = common.type == Cell::Type::kNull;
    const bool is_other = !is_new && table_.strings[common.text] != cell.text;
    differs = differs || is_other;
    if (is_new || is_other) {
      common.number =
          cell.type == Cell::Type::kReal ? std::bit_cast<uint64_t>(cell.real) : static_cast<uint64_t>(cell.integer);
      common.text = table_.strings.intern(cell.text);
      common.type = cell.type;
    }
  }
  if (differs) {
    add_duplicate(row);
  }
}

Cell FoldedRows::cell_of(const Common& common) const {
  Cell cell;
  cell.type = common.type;
  cell.text = table_.strings[common.text];
  if (common.type == Cell::Type::kReal) {
    cell.real = std::bit_cast<double>(common.number);
  } else {
    cell.integer = static_cast<int64_t>(common.number);
  }
  return cell;
}

void FoldedRows::add(std::span<const Cell> cells, uint64_t row) {
  const uint64_t event = event_of(cells, row);
  take_common(event, cells, row);
  if (value_name_ < cells.size() && value_ < cells.size()) {
    if (const auto value = argument_of(table_.strings.intern(cells[value_name_].text), cells[value_], table_.strings)) {
      values_.push_back({event, values_.size(), *value});
    }
  }
}

void FoldedRows::finish() {
  const std::span<Value> values = values_.view();
  std::sort(values.begin(), values.end(),
            [](const Value& a, const Value& b) { return std::tie(a.event, a.order) < std::tie(b.event, b.order); });
  std::vector<Cell> cells(is_key_.size());
  std::vector<Argument> its_values;
  std::vector<StringId> names;
  size_t next = 0;
  for (uint64_t event = 0; event < first_rows_.size(); ++event) {
    for (size_t i = 0; i < cells.size(); ++i) {
      cells[i] = cell_of(commons_[event * cells.size() + i]);
    }
    its_values.clear();
    names.clear();
    for (; next < values.size() && values[next].event == event; ++next) {
      its_values.push_back(values[next].argument);
      names.push_back(values[next].argument.key);
    }
    std::sort(names.begin(), names.end());
    if (std::adjacent_find(names.begin(), names.end()) != names.end()) {
      add_duplicate(first_rows_[event]);
    }
    rows_.add(cells, first_rows_[event], its_values);
  }
}

}  // namespace aaco
