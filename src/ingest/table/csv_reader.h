// SPDX-License-Identifier: MIT
// Comma-separated values (RFC 4180) row by row: quoted cells may hold commas, line ends and doubled quotes; lines end
// with or without a carriage return; blank lines are no rows.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ingest/bytes/byte_source.h"
#include "ingest/bytes/window.h"
#include "ingest/table/cell.h"
#include "record/events/loss_table.h"

namespace aaco {

class CsvReader {
 public:
  static constexpr size_t kLongestRow = size_t{1} << 26;

  // `name`: the file's, in losses, which go to `losses`. Both outlive the reader, `source` too.
  CsvReader(ByteSource& source, std::string name, LossTable& losses, size_t window_bytes = size_t{1} << 20);

  // The next row; the views hold until the next call. False at the end. A row in which something stands between a
  // closing quote and the comma, or of more than 65,535 cells, is a malformed event and left out. An open quote at the
  // end is a truncated tail. Errors: kUsage where a row is longer than kLongestRow.
  Result<bool> next(std::vector<Cell>& cells);

  uint64_t line() const { return row_line_; }    // of the row's start, from 1
  std::string_view row() const { return row_; }  // as it is written, with its line end
  bool row_ended() const { return row_ended_; }  // the row has its line end; without, it may be cut

 private:
  enum class Scan : uint8_t { kRow, kMalformed, kNeedsMore };

  Scan scan(std::vector<Cell>& cells);
  Scan scan_quoted(std::vector<Cell>& cells, const char*& at);
  std::string place() const;

  Window window_;
  std::string name_;
  LossTable& losses_;
  const char* at_;
  std::string_view row_;
  bool at_end_ = false;  // of the source
  bool began_ = false;
  bool row_ended_ = true;
  uint64_t line_ = 1;
  uint64_t row_line_ = 1;
  uint64_t lines_scanned_ = 0;  // of the row at hand
  std::deque<std::string> unescaped_;
};

}  // namespace aaco
