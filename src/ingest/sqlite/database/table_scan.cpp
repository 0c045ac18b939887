// SPDX-License-Identifier: MIT
#include "ingest/sqlite/database/table_scan.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <mutex>
#include <sqlite3.h>

#include "ingest/table/table_kind.h"

namespace aaco {

namespace {

constexpr size_t kPartBytes = size_t{1} << 19;

bool contains(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [](char a, char b) { return same_column({&a, 1}, {&b, 1}); }) != text.end();
}

// "Datatypes In SQLite", 3.1: of a column with that declared type whole numbers are stored as integers and are real.
bool has_real_affinity(std::string_view type) {
  constexpr std::array<std::string_view, 5> kOthers = {"INT", "CHAR", "CLOB", "TEXT", "BLOB"};
  constexpr std::array<std::string_view, 3> kReals = {"REAL", "FLOA", "DOUB"};
  const auto is_in = [&](std::string_view part) { return contains(type, part); };
  return std::none_of(kOthers.begin(), kOthers.end(), is_in) && std::any_of(kReals.begin(), kReals.end(), is_in);
}

}  // namespace

SqliteTable::SqliteTable(SqliteDatabase& database, std::string_view name, std::span<const std::string> columns)
    : database_(database), name_(name), columns_(columns.begin(), columns.end()), late_(columns.size()) {
  constexpr std::array<std::string_view, 3> kIds = {"rowid", "_rowid_", "oid"};
  std::vector<std::string> names = columns_;
  for (const SqliteDatabase::Column& column : database.described(name_)) {
    names.push_back(column.name);
  }
  const auto* const id = std::find_if_not(kIds.begin(), kIds.end(), [&](std::string_view each) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& column) { return same_column(column, each); });
  });
  if (id != kIds.end()) {
    id_name_ = *id;
    find_pages();
  }
  if (!leaves_ && !has_ids()) {
    id_name_ = {};
  }
}

bool SqliteTable::has_ids() const {
  SqliteStatement any(database_.connection_.get(), fmt::format("SELECT {} FROM {} LIMIT 0", id_name_, sql_name(name_)));
  return !id_name_.empty() && any.step() != SQLITE_ERROR;
}

void SqliteTable::find_pages() {
  const auto root = database_.roots_.find(name_);
  if (!database_.pages_ || root == database_.roots_.end() || root->second > database_.pages_->pages()) {
    return;
  }
  part_leaves_ = std::max<size_t>(1, kPartBytes / database_.pages_->page_bytes());
  reader_ = find_columns();
  if (reader_) {
    leaves_ = leaf_pages(*database_.pages_, static_cast<uint32_t>(root->second));
  }
}

// None where SQL means something else than the records: computed columns, columns that are not there.
std::optional<RecordReader> SqliteTable::find_columns() const {
  const std::vector<SqliteDatabase::Column> all = database_.described(name_);
  std::vector<RecordReader::Column> columns;
  for (const std::string& name : columns_) {
    const auto column = std::find_if(all.begin(), all.end(),
                                     [&](const SqliteDatabase::Column& each) { return same_column(each.name, name); });
    if (column == all.end()) {
      return std::nullopt;
    }
    columns.push_back({static_cast<size_t>(column - all.begin()), column->is_id, has_real_affinity(column->type)});
  }
  const bool is_plain =
      std::all_of(all.begin(), all.end(), [](const SqliteDatabase::Column& each) { return each.is_stored; });
  return is_plain ? std::optional<RecordReader>(columns) : std::nullopt;
}

size_t SqliteTable::parts() const {
  return leaves_ ? std::max<size_t>(1, (leaves_->pages.size() + part_leaves_ - 1) / part_leaves_) : 1;
}

Cell SqliteTable::late_value(size_t column, int64_t row) {
  const std::lock_guard lock(database_.mutex_);
  LateColumn& late = late_[column];
  if (!late.is_known) {
    SqliteStatement statement(database_.connection_.get(),
                              fmt::format("SELECT {} FROM {} NOT INDEXED WHERE {}={}", sql_name(columns_[column]),
                                          sql_name(name_), id_name_, row));
    late.is_known = true;
    if (statement.step() == SQLITE_ROW) {
      late.value = statement.cell(0);
      late.text = late.value.text;
      late.value.text = late.text;
    }
  }
  return late.value;
}

SqliteScan::SqliteScan(SqliteTable& table, LossTable& losses) : table_(table), losses_(losses) {
  SqliteDatabase& database = table.database_;
  if (table.leaves_) {
    rows_.emplace(*database.pages_, table.leaves_->pages, database.budget_);
    return;
  }
  std::string sql = fmt::format("SELECT {}", table.id_name_.empty() ? "NULL" : table.id_name_);
  for (const std::string& column : table.columns_) {
    sql += ", " + sql_name(column);
  }
  statement_.emplace(database.connection_.get(), sql + fmt::format(" FROM {} NOT INDEXED", sql_name(table.name_)));
}

void SqliteScan::start(size_t part) {
  if (!table_.leaves_) {
    return;
  }
  const std::span<const uint32_t> pages = table_.leaves_->pages;
  const size_t first = std::min(pages.size(), part * table_.part_leaves_);
  const size_t count = std::min(table_.part_leaves_, pages.size() - first);
  rows_.emplace(*table_.database_.pages_, pages.subspan(first, count), table_.database_.budget_);
  is_last_part_ = part + 1 == table_.parts();
  first_row_.reset();
}

void SqliteScan::stop(std::string_view why) {
  losses_.add(Loss::kTruncated, [&] {
    return fmt::format("{}: table {} behind row {}: {}", table_.database_.name(), table_.name_, row_, why);
  });
  damaged_ = true;
  rows_.reset();
  statement_.reset();
}

bool SqliteScan::is_in_order(int64_t row) {
  if (first_row_ && row <= row_) {  // pages that several others name
    stop(kDisorder);
    return false;
  }
  if (!first_row_) {
    first_row_ = row;
  }
  row_ = row;
  return true;
}

bool SqliteScan::follows(std::optional<int64_t>& last) {
  if (first_row_ && last && *first_row_ <= *last) {
    stop(kDisorder);
    return false;
  }
  if (first_row_) {
    last = row_;
  }
  return true;
}

bool SqliteScan::next(std::span<Cell> cells) {
  return rows_ ? next_of_pages(cells) : statement_ && next_of_sqlite(cells);
}

bool SqliteScan::next_of_pages(std::span<Cell> cells) {
  if (!rows_->next()) {
    const std::string damage = !rows_->damage().empty() ? rows_->damage() : is_last_part_ ? table_.leaves_->damage : "";
    if (!damage.empty()) {
      stop(damage);
    }
    rows_.reset();
    return false;
  }
  if (!is_in_order(rows_->id())) {
    return false;
  }
  const size_t values = table_.reader_->read(rows_->record(), row_, cells);
  if (values == RecordReader::kDamaged) {
    stop("a row is damaged");
    return false;
  }
  if (values < table_.reader_->values()) {
    for (size_t i = 0; i < table_.columns_.size(); ++i) {
      if (table_.reader_->position(i) >= values && cells[i].type == Cell::Type::kNull) {
        cells[i] = table_.late_value(i, row_);
      }
    }
  }
  return true;
}

bool SqliteScan::next_of_sqlite(std::span<Cell> cells) {
  const int step = statement_->step();
  if (step == SQLITE_DONE) {
    statement_.reset();
    return false;
  }
  if (step != SQLITE_ROW) {
    stop(sqlite3_errmsg(table_.database_.connection_.get()));
    return false;
  }
  if (table_.database_.budget_.rows.fetch_sub(1) <= 0) {
    stop(kDisorder);
    return false;
  }
  if (!table_.id_name_.empty() && !is_in_order(statement_->integer(0))) {
    return false;
  }
  for (size_t i = 0; i < table_.columns_.size(); ++i) {
    cells[i] = statement_->cell(static_cast<int>(i) + 1);
  }
  return true;
}

}  // namespace aaco
