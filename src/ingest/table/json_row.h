// SPDX-License-Identifier: MIT
// A JSON object as a row of a table: "id": {"handle": 5} is a column "id.handle", an array the text that it is.
#pragma once

#include <cstddef>
#include <memory>
#include <simdjson.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/table/cell.h"

namespace aaco {

class JsonRow {
 public:
  // `json` has 64 readable bytes behind it. False where it is no object. What the row says holds until the next call.
  bool parse(std::string_view json);
  void take(simdjson::dom::object object);  // that another parser holds

  void append(std::string_view column, const Cell& cell);
  Cell* find(std::string_view column);  // null where there is none

  std::span<const std::string> columns() const { return {columns_.data(), size_}; }
  std::span<const Cell> cells() const { return {cells_.data(), size_}; }
  simdjson::dom::object object() const { return object_; }

 private:
  static constexpr int kDeepest = 16;  // an object further down is a text

  void append_members(simdjson::dom::object object, int depth);
  void append_value(simdjson::dom::element value, int depth);
  Cell text_cell(std::string text);

  simdjson::dom::parser parser_;
  simdjson::dom::object object_;
  size_t size_ = 0;
  std::string path_;  // of the member at hand
  std::vector<std::string> columns_;
  std::vector<Cell> cells_;
  std::vector<std::unique_ptr<std::string>> texts_;  // that are not the parser's
};

}  // namespace aaco
