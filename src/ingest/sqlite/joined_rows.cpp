// SPDX-License-Identifier: MIT
#include "ingest/sqlite/joined_rows.h"

#include <algorithm>
#include <fmt/format.h>

namespace aaco {

namespace {

bool is_among(std::string_view name, std::span<const std::string_view> names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view each) { return same_column(each, name); });
}

}  // namespace

JoinedTable::JoinedTable(SqliteReading& reading, const SqliteSource& source, std::span<const std::string_view> kept)
    : reading_(reading) {
  const std::string table = reading.table_of(source.table);
  for (std::string& name : reading.database.columns_of(table)) {
    if (!is_among(name, source.ignored)) {
      names_.push_back(std::move(name));
    }
  }
  columns_.assign(names_.begin(), names_.end());
  for (const SqliteBits& bits : source.bits) {
    add_bits(bits);
  }
  for (const SqliteJoin& join : source.joins) {
    add_join(join, kept);
  }
  numbers_ = all_of(source.numbers);
  or_zero_ = all_of(source.or_zero);
  quoted_ = all_of(source.quoted);
  table_ = std::make_unique<SqliteTable>(reading.database, table, names_);
}

std::optional<size_t> JoinedTable::find(std::string_view column) const {
  const auto position =
      std::find_if(columns_.begin(), columns_.end(), [&](std::string_view each) { return same_column(each, column); });
  return position == columns_.end() ? std::nullopt : std::optional<size_t>(position - columns_.begin());
}

std::vector<size_t> JoinedTable::all_of(std::span<const std::string_view> names) const {
  std::vector<size_t> columns;
  for (const std::string_view name : names) {
    if (const auto column = find(name)) {
      columns.push_back(*column);
    }
  }
  return columns;
}

size_t JoinedTable::column_for(std::string_view name) {
  if (const auto known = find(name)) {
    return *known;
  }
  taken_names_.push_back(std::make_unique<std::string>(name));
  columns_.push_back(*taken_names_.back());
  return columns_.size() - 1;
}

void JoinedTable::add_bits(const SqliteBits& bits) {
  if (const auto from = find(bits.column)) {
    bits_.push_back({*from, column_for(bits.as), bits.shift, (uint64_t{1} << bits.bits) - 1});
  }
}

void JoinedTable::add_join(const SqliteJoin& join, std::span<const std::string_view> kept) {
  const auto column = find(join.column);
  if (!column || (!join.unless.empty() && reading_.has(join.unless))) {
    return;
  }
  Join added{*column, nullptr, {}, join.optional, join.table.empty() || is_among(join.column, kept), join.table};
  if (join.table.empty()) {
    added.targets.push_back({column_for(join.takes.front().as), join.takes.front().prefix});
    joins_.push_back(std::move(added));
    return;
  }
  std::vector<std::string> theirs;
  if (reading_.has(join.table)) {
    theirs = reading_.database.columns_of(reading_.table_of(join.table));
  } else if (!join.labels.empty()) {
    theirs.emplace_back(join.takes.front().column);
  } else if (join.optional) {
    return;
  }
  std::vector<std::string> read;
  const auto take = [&](std::string_view name, std::string_view as, std::string_view prefix) {
    const auto joined =
        std::find_if(theirs.begin(), theirs.end(), [&](const std::string& each) { return same_column(each, name); });
    if (joined != theirs.end()) {
      read.push_back(*joined);
      added.targets.push_back({column_for(as), prefix});
    }
  };
  for (const SqliteTake& each : join.takes) {
    take(each.column, each.as, each.prefix);
  }
  if (join.takes.empty()) {
    for (const std::string& name : theirs) {
      if (!same_column(name, join.key) && !same_column(name, "id")) {
        take(name, name, {});
      }
    }
  }
  added.kept = added.kept || std::any_of(added.targets.begin(), added.targets.end(),
                                         [&](const Target& target) { return target.column == added.column; });
  added.rows = &keyed(join, read);
  joins_.push_back(std::move(added));
}

const KeyedRows& JoinedTable::keyed(const SqliteJoin& join, std::span<const std::string> columns) {
  std::string id = fmt::format("{}\n{}", join.table, join.key);
  for (const std::string& column : columns) {
    id += "\n" + column;
  }
  std::unique_ptr<KeyedRows>& rows = reading_.keyed[id];
  if (!rows && !join.labels.empty() && !reading_.has(join.table)) {
    rows = std::make_unique<KeyedRows>(join.labels, reading_.into);
  } else if (!rows) {
    rows =
        std::make_unique<KeyedRows>(reading_.database, reading_.table_of(join.table), join.key, columns, reading_.into);
  }
  return *rows;
}

JoinedRows::JoinedRows(const JoinedTable& table, EventTable& into)
    : table_(table),
      into_(into),
      cells_(table.columns_.size()),
      resolved_(table.joins_.size()),
      scan_(*table.table_, into.losses) {}

bool JoinedRows::is_null(const Cell& cell) const {
  return cell.type == Cell::Type::kNull || (cell.type == Cell::Type::kText && cell.text == table_.reading_.null_text);
}

void JoinedRows::put(const JoinedTable::Target& target, Cell cell) {
  if (cells_[target.column].type != Cell::Type::kNull || is_null(cell)) {
    return;
  }
  if (!target.prefix.empty() && cell.type == Cell::Type::kText) {
    const StringId id = into_.strings.intern(fmt::format("{}{}", target.prefix, cell.text));
    cell.text = into_.strings[id];
  }
  cells_[target.column] = cell;
}

void JoinedRows::resolve(size_t number) {
  const JoinedTable::Join& join = table_.joins_[number];
  resolved_[number] = 0;
  const Cell& key = cells_[join.column];
  if (key.type == Cell::Type::kNull) {
    return;
  }
  if (join.rows == nullptr) {
    put(join.targets.front(), key);
    resolved_[number] = 1;
    return;
  }
  const size_t row = key.type == Cell::Type::kInteger ? join.rows->find(key.integer) : KeyedRows::kNone;
  if (row == KeyedRows::kNone) {
    if (!join.optional) {
      into_.losses.add(Loss::kUnknownName, [&] {
        return fmt::format("{}: table {} row {}: {} is in no row of {}", table_.reading_.database.name(),
                           table_.table_->name(), scan_.row(), table_.columns_[join.column], join.table);
      });
    }
    return;
  }
  resolved_[number] = 1;
  for (const JoinedTable::Target& target : join.targets) {
    if (target.column == join.column) {
      cells_[target.column] = {};
    }
  }
  for (size_t i = 0; i < join.targets.size(); ++i) {
    put(join.targets[i], join.rows->cell(row, i));
  }
}

bool JoinedRows::next() {
  if (!scan_.next(cells_)) {
    return false;
  }
  if (table_.reading_.null_text) {
    for (Cell& cell : std::span(cells_).first(table_.names_.size())) {
      if (is_null(cell)) {
        cell.type = Cell::Type::kNull;
      }
    }
  }
  std::fill(cells_.begin() + static_cast<ptrdiff_t>(table_.names_.size()), cells_.end(), Cell{});
  for (const JoinedTable::Bits& bits : table_.bits_) {
    if (cells_[bits.from].type == Cell::Type::kInteger) {
      cells_[bits.to].type = Cell::Type::kInteger;
      cells_[bits.to].integer =
          static_cast<int64_t>((static_cast<uint64_t>(cells_[bits.from].integer) >> bits.shift) & bits.mask);
    }
  }
  for (size_t i = 0; i < table_.joins_.size(); ++i) {
    resolve(i);
  }
  for (const size_t column : table_.numbers_) {
    if (cells_[column].type == Cell::Type::kText) {
      cells_[column] = cell_of(cells_[column].text, false);
    }
  }
  for (const size_t column : table_.quoted_) {
    std::string_view& text = cells_[column].text;
    if (cells_[column].type == Cell::Type::kText && text.size() > 1 && text.starts_with('"') && text.ends_with('"')) {
      text = text.substr(1, text.size() - 2);
    }
  }
  for (const size_t column : table_.or_zero_) {
    if (cells_[column].type == Cell::Type::kInteger && cells_[column].integer == 0) {
      cells_[column] = {};
    }
  }
  return true;
}

void JoinedRows::drop_resolved() {
  for (size_t i = 0; i < table_.joins_.size(); ++i) {
    if (resolved_[i] != 0 && !table_.joins_[i].kept) {
      cells_[table_.joins_[i].column] = {};
    }
  }
}

}  // namespace aaco
