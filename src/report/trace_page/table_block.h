// SPDX-License-Identifier: MIT
// A table of an analysis as one of a report: its cells keep their numbers and units.
#pragma once

#include <span>

#include "record/table.h"
#include "report/report_model.h"

namespace aaco::report {

struct TableView {
  std::span<const char* const> columns;  // to show, in this order; none: all
  size_t most = SIZE_MAX;                // rows
  bool zeros = true;                     // also columns that are zero in all rows
};

// Columns that tell nothing are left out: without a value, and ids that are the same in all rows. Without rows where
// the table has none.
TableBlock table_block(const Table& table, const TableView& view);

}  // namespace aaco::report
