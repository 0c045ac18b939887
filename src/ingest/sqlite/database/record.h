// SPDX-License-Identifier: MIT
// Records of SQLite's file format ("Record Format") as cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "ingest/table/cell.h"

namespace aaco {

class RecordReader {
 public:
  struct Column {
    size_t position;  // in the record
    bool is_id;       // the row's id, which records leave out
    bool is_real;     // integers stand for real numbers
  };
  static constexpr size_t kDamaged = std::numeric_limits<size_t>::max();

  explicit RecordReader(std::span<const Column> columns);

  size_t values() const { return cell_of_.size(); }  // that a record must have for all columns
  size_t position(size_t column) const { return positions_[column]; }

  // A cell for each column, in their order; texts are the record's. kPagePadding bytes behind it can be loaded.
  // How many values the record has, as far as they are wanted: columns added to a table later are in no older record,
  // and null here. kDamaged: it is no record.
  size_t read(std::span<const uint8_t> record, int64_t id, std::span<Cell> cells) const;

 private:
  static constexpr size_t kUnwanted = std::numeric_limits<size_t>::max();

  std::vector<size_t> positions_;  // of the columns
  std::vector<size_t> cell_of_;    // by position
  std::vector<size_t> ids_;        // of the cells
  std::vector<size_t> reals_;
  std::vector<std::pair<size_t, size_t>> copies_;  // of a column that is wanted twice: from, to
};

}  // namespace aaco
