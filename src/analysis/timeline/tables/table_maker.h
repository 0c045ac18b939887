// SPDX-License-Identifier: MIT
// Makes a Table of whatever items an analysis yields: each column is a name, a unit, a meaning and how to read it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/timeline/trace_summary.h"
#include "record/events/event_table.h"
#include "record/table.h"

namespace aaco {

// Null where it is not known.
inline std::optional<int64_t> known_id(int64_t id) { return id == kNoId ? std::nullopt : std::optional(id); }

inline std::optional<std::string> known_text(const EventTable& events, StringId id) {
  return id == kEmptyString ? std::nullopt : std::optional(std::string(events.strings[id]));
}

inline int64_t to_integer(uint64_t count) { return static_cast<int64_t>(count); }

// Every column may hold nulls.
template <class Item>
class TableMaker {
 public:
  explicit TableMaker(std::string name) { table_.name = std::move(name); }

  TableMaker& integers(const char* name, const char* unit, const char* meaning,
                       std::function<std::optional<int64_t>(const Item&)> value) {
    return column<int64_t>({name, ColumnType::kInt64, unit, meaning, true}, std::move(value));
  }
  TableMaker& reals(const char* name, const char* unit, const char* meaning,
                    std::function<std::optional<double>(const Item&)> value) {
    return column<double>({name, ColumnType::kDouble, unit, meaning, true}, std::move(value));
  }
  TableMaker& texts(const char* name, const char* meaning,
                    std::function<std::optional<std::string>(const Item&)> value) {
    return column<std::string>({name, ColumnType::kString, "", meaning, true}, std::move(value));
  }

  void add(const Item& item) {
    for (const auto& fill : fills_) {
      fill(item, table_);
    }
    ++table_.row_count;
  }
  Table finish() { return std::move(table_); }

 private:
  template <class T>
  TableMaker& column(ColumnInfo info, std::function<std::optional<T>(const Item&)> value) {
    fills_.push_back([at = table_.columns.size(), value = std::move(value)](const Item& item, Table& table) {
      const std::optional<T> cell = value(item);
      std::get<std::vector<T>>(table.columns[at].values).push_back(cell.value_or(T{}));
      table.columns[at].valid.push_back(cell.has_value());
    });
    table_.columns.push_back({std::move(info), std::vector<T>(), {}});
    return *this;
  }

  Table table_;
  std::vector<std::function<void(const Item&, Table&)>> fills_;
};

// The columns that every table about devices begins with; its rows have a member `device`.
template <class Row>
void add_device_columns(TableMaker<Row>& table) {
  table.integers("recording", "", "index of the recording", [](const Row& row) { return row.device.recording; })
      .integers("rank", "", "of the job", [](const Row& row) { return known_id(row.device.rank); })
      .integers("device", "", "as the trace numbers it", [](const Row& row) { return known_id(row.device.device); });
}

}  // namespace aaco
