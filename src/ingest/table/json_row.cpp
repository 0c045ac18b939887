// SPDX-License-Identifier: MIT
#include "ingest/table/json_row.h"

#include <algorithm>
#include <new>
#include <utility>

namespace aaco {

namespace {

namespace dom = simdjson::dom;

Cell text_of(std::string_view text) {
  Cell cell;
  cell.type = Cell::Type::kText;
  cell.text = text;
  return cell;
}

}  // namespace

bool JsonRow::parse(std::string_view json) {
  dom::element root;
  dom::object object;
  const simdjson::error_code error = parser_.parse(json.data(), json.size(), false).get(root);
  if (error == simdjson::MEMALLOC) {
    throw std::bad_alloc();
  }
  if (error != simdjson::SUCCESS || root.get(object) != simdjson::SUCCESS) {
    size_ = 0;
    return false;
  }
  take(object);
  return true;
}

void JsonRow::take(dom::object object) {
  object_ = object;
  size_ = 0;
  texts_.clear();
  path_.clear();
  append_members(object_, 0);
}

void JsonRow::append(std::string_view column, const Cell& cell) {
  if (size_ == columns_.size()) {
    columns_.emplace_back();
    cells_.emplace_back();
  }
  columns_[size_] = column;
  cells_[size_++] = cell;
}

Cell* JsonRow::find(std::string_view column) {
  const auto names = columns();
  const auto name = std::find(names.begin(), names.end(), column);
  return name == names.end() ? nullptr : &cells_[static_cast<size_t>(name - names.begin())];
}

void JsonRow::append_members(dom::object object, int depth) {
  const size_t length = path_.size();
  for (const auto& member : object) {
    path_ += length == 0 ? "" : ".";
    path_ += member.key;
    append_value(member.value, depth);
    path_.resize(length);
  }
}

Cell JsonRow::text_cell(std::string text) {
  texts_.push_back(std::make_unique<std::string>(std::move(text)));
  return text_of(*texts_.back());
}

void JsonRow::append_value(dom::element value, int depth) {
  Cell cell;
  switch (value.type()) {
    case dom::element_type::OBJECT:
      if (depth < kDeepest) {
        append_members(dom::object(value), depth + 1);
        return;
      }
      [[fallthrough]];
    case dom::element_type::ARRAY:
      cell = text_cell(simdjson::minify(value));
      break;
    case dom::element_type::INT64:
      cell.type = Cell::Type::kInteger;
      cell.integer = int64_t(value);
      break;
    case dom::element_type::UINT64:  // only beyond the signed ones
      cell = text_cell(std::to_string(uint64_t(value)));
      break;
    case dom::element_type::DOUBLE:
      cell.type = Cell::Type::kReal;
      cell.real = double(value);
      break;
    case dom::element_type::STRING:
      cell = text_of(std::string_view(value));
      break;
    case dom::element_type::BOOL:
      cell = text_of(bool(value) ? "true" : "false");
      break;
    case dom::element_type::NULL_VALUE:
      break;
  }
  append(path_, cell);
}

}  // namespace aaco
