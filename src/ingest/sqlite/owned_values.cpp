// SPDX-License-Identifier: MIT
#include "ingest/sqlite/owned_values.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <limits>

#include "ingest/table/table_rows.h"

namespace aaco {

namespace {

void append_text(std::string& text, const Cell& cell) {
  if (cell.type == Cell::Type::kNull) {
    return;
  }
  text += text.empty() ? "" : " ";
  text += cell.type == Cell::Type::kText      ? std::string(cell.text)
          : cell.type == Cell::Type::kInteger ? std::to_string(cell.integer)
                                              : fmt::format("{}", cell.real);
}

}  // namespace

OwnedValues::OwnedValues(SqliteReading& reading, const SqliteValues& values) {
  if (!reading.has(values.source.table)) {
    return;
  }
  const JoinedTable table(reading, values.source, {});
  const auto owner = table.find(values.owner);
  const auto value = table.find(values.value);
  std::vector<size_t> names;
  for (const std::string_view name : values.names) {
    if (const auto column = table.find(name)) {
      names.push_back(*column);
    }
  }
  JoinedRows rows(table, reading.into);
  std::string key;
  while (rows.next()) {
    const auto where = [&] {
      return fmt::format("{}: table {} row {}", reading.database.name(), values.source.table, rows.row());
    };
    if (!owner || !value || rows.cells()[*owner].type != Cell::Type::kInteger) {
      reading.into.losses.add(Loss::kMalformedEvent, where);
      continue;
    }
    key.clear();
    for (const size_t name : names) {
      append_text(key, rows.cells()[name]);
    }
    const StringId id = strings_.intern(key);
    const auto argument = argument_of(id, rows.cells()[*value], strings_);
    values_.push_back({rows.cells()[*owner].integer, argument.value_or(Argument{id, ArgumentType::kNull, 0})});
  }
  const auto by_owner = [](const Value& a, const Value& b) { return a.owner < b.owner; };
  if (!std::is_sorted(values_.begin(), values_.end(), by_owner)) {  // sorting them takes memory that does not spill
    std::stable_sort(values_.view().begin(), values_.view().end(), by_owner);
  }
}

StringId OwnedValues::string_in(StringTable& strings, StringMapping& renumbered, StringId id) const {
  constexpr StringId kNotYet = std::numeric_limits<StringId>::max();
  if (renumbered.size() <= id) {
    renumbered.resize(strings_.size(), kNotYet);
  }
  if (renumbered[id] == kNotYet) {
    renumbered[id] = strings.intern(strings_[id]);
  }
  return renumbered[id];
}

void OwnedValues::append(int64_t owner, StringTable& strings, StringMapping& renumbered, std::vector<Argument>& to) {
  const std::span<Value> values = values_.view();
  auto value = std::lower_bound(values.begin(), values.end(), owner,
                                [](const Value& each, int64_t wanted) { return each.owner < wanted; });
  for (; value != values.end() && value->owner == owner; ++value) {
    Argument argument = value->argument;
    argument.key = string_in(strings, renumbered, argument.key);
    if (argument.type == ArgumentType::kText) {
      argument.bits = string_in(strings, renumbered, static_cast<StringId>(argument.bits));
    }
    to.push_back(argument);
    std::atomic_ref(value->consumed).store(true, std::memory_order_relaxed);
  }
}

void OwnedValues::count_unowned(const SqliteReading& reading, const SqliteValues& values) {
  for (const Value& value : values_) {
    if (!value.consumed) {
      reading.into.losses.add(Loss::kUnknownName, [&] {
        return fmt::format("{}: table {}: {} {} has no event", reading.database.name(), values.source.table,
                           values.owner, value.owner);
      });
    }
  }
}

}  // namespace aaco
