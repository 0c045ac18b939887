// SPDX-License-Identifier: MIT
// What a collector says about itself once it has run: the plane that it records, its quantities with their units, and
// what of them it could not read and why.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_fwd.h"
#include "record/table.h"

namespace aaco {

struct PlaneColumn {
  std::string table;
  std::string name;
  std::string unit;
  std::string unread;  // why it is null; empty where it was read
};
// Of a collector that has several ways to its rows: the one that it took.
struct PlaneSource {
  std::string name;                        // "ebpf"
  std::string not_seen;                    // what this way does not tell; empty: nothing
  std::string better;                      // how to get the better one; empty: there is none
  std::vector<std::string> losses;         // what was there and could not be kept
  std::map<std::string, int64_t> figures;  // its own cost and counts: "programs_ns"
};
// One line: which way, what it does not tell, what was lost, how to get the better one.
std::string source_text(const PlaneSource& source);
struct CollectorPlane {
  std::string name;  // as in session.json: "telemetry_host"
  std::vector<PlaneColumn> columns;
  std::optional<PlaneSource> source = std::nullopt;
};
void to_json(Json& json, const PlaneColumn& column);
void to_json(Json& json, const PlaneSource& source);
void to_json(Json& json, const CollectorPlane& plane);
void from_json(const Json& json, PlaneColumn& column);
void from_json(const Json& json, PlaneSource& source);
void from_json(const Json& json, CollectorPlane& plane);

// Keeps account of which columns have been read, for one kind of row. One thread.
template <class Row>
class PlaneAccount {
 public:
  // The column cannot be read, or could not this time; the first reason stays.
  void unread(const char* column, const std::string& why) { reasons_.try_emplace(column, why); }

  void take(const Row& row) {
    ++rows_;
    size_t at = 0;
    std::apply([&](const auto&... column) { ((read_[at++] |= is_there(row.*column.member)), ...); },
               RowSchema<Row>::columns());
  }

  // A column that was null at times only says so before its reason.
  std::vector<PlaneColumn> columns() const {
    std::vector<PlaneColumn> columns;
    size_t at = 0;
    for (const ColumnInfo& info : column_infos<Row>()) {
      const bool read = read_[at++] != 0;
      PlaneColumn column{RowSchema<Row>::kName, info.name, info.unit, ""};
      const auto reason = reasons_.find(info.name);
      if (reason != reasons_.end()) {
        column.unread = (read ? "at times: " : "") + reason->second;
      } else if (!read) {
        column.unread = "null in all of " + std::to_string(rows_) + " rows";
      }
      columns.push_back(std::move(column));
    }
    return columns;
  }

 private:
  template <class T>
  static uint8_t is_there(const T&) {
    return 1;
  }
  template <class T>
  static uint8_t is_there(const std::optional<T>& value) {
    return value ? 1 : 0;
  }

  std::map<std::string, std::string, std::less<>> reasons_;
  std::array<uint8_t, std::tuple_size_v<decltype(RowSchema<Row>::columns())>> read_{};  // by column
  int64_t rows_ = 0;
};

}  // namespace aaco
