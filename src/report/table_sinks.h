// SPDX-License-Identifier: MIT
// Tables of any columns that come in pieces, as text: for people, as CSV, as JSON.
#pragma once

#include <memory>
#include <string>

#include "trace/table.h"

namespace aaco::report {

enum class TableForm { kText, kCsv, kJson };

// What is to be printed now, piece by piece. For people rows are kept until the end, because widths depend on them, at
// most 100,000; that there are more is said. CSV and JSON keep none. A null is "-" for people, who get long texts cut,
// nothing in CSV, null in JSON; CSV quotes as RFC 4180 has it; JSON is one array of objects.
class TableSink {
 public:
  virtual ~TableSink() = default;
  virtual std::string add(const Table& piece) = 0;
  virtual std::string end() = 0;
  virtual bool full() const { return false; }  // takes no more rows
};

// Quoted where RFC 4180 asks for it, and where it is empty, which no value would be.
std::string csv_cell(const std::string& text);

std::unique_ptr<TableSink> make_table_sink(TableForm form);

}  // namespace aaco::report
