// SPDX-License-Identifier: MIT
#include "ingest/sqlite/database/record.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

#include "ingest/sqlite/database/page_file.h"

namespace aaco {

namespace {

// What a value of each serial type below 12 is: its bytes, big-endian, or a constant.
struct NumberType {
  uint8_t bytes;
  Cell::Type type;
  uint8_t constant;
};
constexpr uint64_t kNumberTypes = 10;  // 10 and 11 are never in a file
constexpr NumberType kNumbers[kNumberTypes] = {
    {0, Cell::Type::kNull, 0},    {1, Cell::Type::kInteger, 0}, {2, Cell::Type::kInteger, 0},
    {3, Cell::Type::kInteger, 0}, {4, Cell::Type::kInteger, 0}, {6, Cell::Type::kInteger, 0},
    {8, Cell::Type::kInteger, 0}, {8, Cell::Type::kReal, 0},    {0, Cell::Type::kInteger, 0},
    {0, Cell::Type::kInteger, 1},
};
constexpr uint64_t kFirstBytesType = 12;  // even: bytes, odd: a text

uint64_t load_big_endian(const uint8_t* bytes) {
  uint64_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return __builtin_bswap64(value);
}

int64_t integer_of(const uint8_t* bytes, const NumberType& number) {
  const auto value = static_cast<int64_t>(load_big_endian(bytes));
  return number.bytes == 0 ? number.constant : value >> (64 - 8 * number.bytes);
}

}  // namespace

RecordReader::RecordReader(std::span<const Column> columns) {
  for (size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    positions_.push_back(column.position);
    cell_of_.resize(std::max(cell_of_.size(), column.position + 1), kUnwanted);
    size_t& cell = cell_of_[column.position];
    if (cell != kUnwanted) {
      copies_.push_back({cell, i});
      continue;
    }
    cell = i;
    if (column.is_id) {
      ids_.push_back(i);
    }
    if (column.is_real) {
      reals_.push_back(i);
    }
  }
}

size_t RecordReader::read(std::span<const uint8_t> record, int64_t id, std::span<Cell> cells) const {
  const uint8_t* type_at = record.data();
  const uint8_t* const end = record.data() + record.size();
  const uint64_t head_bytes = record.empty() ? 0 : varint(type_at);
  if (head_bytes > record.size() || record.empty()) {
    return kDamaged;
  }
  const uint8_t* const head_end = record.data() + head_bytes;
  const uint8_t* value_at = head_end;
  size_t position = 0;
  for (; position < cell_of_.size() && type_at < head_end; ++position) {
    const uint64_t type = varint(type_at);
    const auto left = static_cast<size_t>(end - value_at);
    const bool is_number = type < kNumberTypes;
    const uint64_t bytes = is_number ? kNumbers[type].bytes : (type - kFirstBytesType) / 2;
    if (bytes > left || (!is_number && type < kFirstBytesType)) {
      return kDamaged;
    }
    if (const size_t wanted = cell_of_[position]; wanted != kUnwanted) {
      Cell& cell = cells[wanted];
      if (is_number) {
        cell.type = kNumbers[type].type;
        cell.integer = integer_of(value_at, kNumbers[type]);
        if (cell.type == Cell::Type::kReal) {
          cell.real = std::bit_cast<double>(cell.integer);
          cell.text = {};
          cell.type = std::isnan(cell.real) ? Cell::Type::kNull : cell.type;  // as SQLite has it
        }
      } else {
        cell.type = Cell::Type::kText;
        cell.is_lasting = false;
        cell.text = {reinterpret_cast<const char*>(value_at), bytes};
      }
    }
    value_at += bytes;
  }
  if (type_at > head_end) {
    return kDamaged;
  }
  for (size_t missing = position; missing < cell_of_.size(); ++missing) {
    if (cell_of_[missing] != kUnwanted) {
      cells[cell_of_[missing]] = {};
    }
  }
  for (const size_t i : ids_) {
    if (cells[i].type == Cell::Type::kNull) {
      cells[i].type = Cell::Type::kInteger;
      cells[i].integer = id;
    }
  }
  for (const size_t i : reals_) {
    if (cells[i].type == Cell::Type::kInteger) {
      cells[i].type = Cell::Type::kReal;
      cells[i].real = static_cast<double>(cells[i].integer);
      cells[i].text = {};
    }
  }
  for (const auto& [from, to] : copies_) {
    cells[to] = cells[from];
  }
  return position;
}

}  // namespace aaco
