// SPDX-License-Identifier: MIT
// Tables of any columns that come in pieces, as text: for people, as CSV, as JSON.
#pragma once

#include <memory>
#include <string>

#include "record/table.h"

namespace aaco::report {

enum class TableForm { kText, kCsv, kJson };

// What is to be printed now, piece by piece. For people rows are kept until the end, because widths depend on them, at
// most 100,000; that there are more is said. CSV and JSON keep none. A null is "-" for people, who get long texts cut,
// nothing in CSV, null in JSON; texts of CSV are as csv_cell writes them; JSON is one array of objects.
class TableSink {
 public:
  virtual ~TableSink() = default;
  virtual std::string add(const Table& piece) = 0;
  virtual std::string end() = 0;
  virtual bool full() const { return false; }  // takes no more rows
};

std::unique_ptr<TableSink> make_table_sink(TableForm form);

}  // namespace aaco::report
