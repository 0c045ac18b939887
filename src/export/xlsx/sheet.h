// SPDX-License-Identifier: MIT
// A worksheet of an Office Open XML workbook (ECMA-376, part 1, 18.3), from rows that come piece by piece.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "export/xlsx/zip_archive.h"
#include "record/table.h"

namespace aaco {

inline constexpr size_t kMostSheetRows = 1'048'576;  // Excel's limit, the title row included
inline constexpr size_t kMostCellText = 32'767;      // likewise, UTF-16 units; here of bytes, which are no fewer

// What a worksheet cannot hold as the table has it.
struct SheetLosses {
  uint64_t rows = 0;      // beyond kMostSheetRows
  uint64_t cut = 0;       // texts
  uint64_t controls = 0;  // characters that XML cannot hold: a replacement stands there
};

class Sheet {
 public:
  // The entry `name` of the archive, which has none that is open.
  Sheet(ZipArchive& archive, std::string name, const std::vector<ColumnInfo>& columns, SheetLosses& losses);
  // A whole number beyond 2^53 is a text, since a cell's number is a double; so is a number that is not finite. A null
  // is an empty cell.
  void add(const Table& rows);
  uint64_t rows() const { return row_ - 1; }
  Result<void> end();

 private:
  void add_row(const Table& rows, size_t row);
  void add_text(size_t column, const std::string& text, const char* style);

  ZipArchive& archive_;
  SheetLosses& losses_;
  size_t columns_;
  uint64_t row_ = 1;
  std::string xml_;
};

// "A", "Z", "AA", ... of columns from 0.
std::string column_letters(size_t column);

}  // namespace aaco
