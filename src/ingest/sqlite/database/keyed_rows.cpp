// SPDX-License-Identifier: MIT
#include "ingest/sqlite/database/keyed_rows.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "base/process/ordered_parts.h"

namespace aaco {

KeyedRows::KeyedRows(SqliteDatabase& database, std::string_view table, std::string_view key,
                     std::span<const std::string> columns, EventTable& into)
    : table_(into), columns_(columns.size()) {
  if (!database.has(table)) {
    return;
  }
  std::vector<std::string> read = {std::string(key)};
  read.insert(read.end(), columns.begin(), columns.end());
  SqliteTable rows(database, table, read);
  this->read(rows);
  sort_by_key(fmt::format("{}: table {}", database.name(), table));
}

KeyedRows::KeyedRows(std::span<const std::string_view> texts, EventTable& into) : table_(into), columns_(1) {
  for (const std::string_view text : texts) {
    const std::string_view kept = into.strings[into.strings.intern(text)];
    keys_.push_back(static_cast<int64_t>(keys_.size()));
    stored_.push_back({std::bit_cast<uint64_t>(kept.data()), static_cast<uint32_t>(kept.size()), Cell::Type::kText});
  }
}

void KeyedRows::read(SqliteTable& table) {
  struct Worker {
    Worker(SqliteTable& table, size_t columns) : cells(columns + 1), scan(table, part.losses) {}
    Part part;
    std::vector<Cell> cells;
    SqliteScan scan;
  };
  std::vector<std::unique_ptr<Worker>> workers(workers_for(table.parts()));
  for (auto& worker : workers) {
    worker = std::make_unique<Worker>(table, columns_);
  }
  std::optional<int64_t> last;
  do_in_order(
      table.parts(), workers.size(),
      [&](size_t worker, size_t part) {
        Worker& own = *workers[worker];
        own.scan.start(part);
        read_part(own.scan, own.cells, own.part);
      },
      [&](size_t worker, size_t /*part*/) {
        Worker& own = *workers[worker];
        if (!own.scan.follows(last)) {
          own.part.keys.shrink(0);
          own.part.stored.shrink(0);
        }
        append(own.part);
        return !own.scan.damaged();
      });
}

void KeyedRows::read_part(SqliteScan& scan, std::span<Cell> cells, Part& part) {
  while (scan.next(cells)) {
    if (cells[0].type != Cell::Type::kInteger) {  // nothing can refer to it
      continue;
    }
    part.keys.push_back(cells[0].integer);
    for (const Cell& cell : cells.subspan(1)) {
      const uint64_t bits = cell.type == Cell::Type::kText   ? part.strings.intern(cell.text)
                            : cell.type == Cell::Type::kReal ? std::bit_cast<uint64_t>(cell.real)
                                                             : static_cast<uint64_t>(cell.integer);
      part.stored.push_back({bits, 0, cell.type});
    }
  }
}

void KeyedRows::append(Part& part) {
  while (part.renumbered.size() < part.strings.size()) {
    part.renumbered.push_back(table_.strings.intern(part.strings[static_cast<StringId>(part.renumbered.size())]));
  }
  std::copy_n(part.keys.begin(), part.keys.size(), keys_.extend(part.keys.size()));
  std::transform(part.stored.begin(), part.stored.end(), stored_.extend(part.stored.size()), [&](StoredCell stored) {
    if (stored.type == Cell::Type::kText) {
      const std::string_view text = table_.strings[part.renumbered[stored.bits]];
      stored.bits = std::bit_cast<uint64_t>(text.data());
      stored.length = static_cast<uint32_t>(text.size());
    }
    return stored;
  });
  table_.losses.add_all(part.losses);
  part.losses = {};
  part.keys.shrink(0);
  part.stored.shrink(0);
}

void KeyedRows::sort_by_key(const std::string& where) {
  const auto unordered = std::adjacent_find(keys_.begin(), keys_.end(), std::greater_equal<>());
  if (unordered == keys_.end()) {
    return;
  }
  rows_.extend(keys_.size());
  const std::span<size_t> rows = rows_.view();
  std::iota(rows.begin(), rows.end(), size_t{0});
  std::sort(rows.begin(), rows.end(),
            [&](size_t a, size_t b) { return std::tie(keys_[a], a) < std::tie(keys_[b], b); });
  GrowingArray<int64_t> ordered;
  std::transform(rows.begin(), rows.end(), ordered.extend(rows.size()), [&](size_t row) { return keys_[row]; });
  keys_ = std::move(ordered);
  for (const int64_t* twice = keys_.begin(); (twice = std::adjacent_find(twice, keys_.end())) != keys_.end(); ++twice) {
    table_.losses.add(Loss::kDuplicateKey, [&] { return fmt::format("{}: {}", where, *twice); });
  }
}

// Keys without gaps, which is how databases number their rows, are their own index.
size_t KeyedRows::find(int64_t key) const {
  if (keys_.empty() || key < keys_[0] || key > keys_.back()) {
    return kNone;
  }
  const uint64_t offset = static_cast<uint64_t>(key) - static_cast<uint64_t>(keys_[0]);
  if (rows_.empty() && offset < keys_.size() && keys_[offset] == key) {
    return offset;
  }
  const auto behind = std::upper_bound(keys_.begin(), keys_.end(), key);
  const auto at = static_cast<size_t>(behind - keys_.begin()) - 1;
  return keys_[at] != key ? kNone : rows_.empty() ? at : rows_[at];
}

Cell KeyedRows::cell(size_t row, size_t column) const {
  const StoredCell& stored = stored_[row * columns_ + column];
  Cell cell;
  cell.type = stored.type;
  if (stored.type == Cell::Type::kText) {
    cell.text = {std::bit_cast<const char*>(stored.bits), stored.length};
    cell.is_lasting = true;
  } else if (stored.type == Cell::Type::kReal) {
    cell.real = std::bit_cast<double>(stored.bits);
  } else {
    cell.integer = static_cast<int64_t>(stored.bits);
  }
  return cell;
}

}  // namespace aaco
