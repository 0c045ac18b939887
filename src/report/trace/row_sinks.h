// SPDX-License-Identifier: MIT
// Tables of a trace's report as lines of a terminal, and their cells.
#pragma once

#include <string>

#include "report/report_model.h"

namespace aaco::report {

// Of the columns that are drawn.
std::string rows_text(const TableBlock& table);

// As a terminal shows it: counts without separators, for scripts.
std::string number_text(const Number& number);

// Cells of a part of a whole: "12.34 %" for a terminal.
Cell share_cell(int64_t part, int64_t whole);
Cell time_cell(int64_t ns);
Cell time_change_cell(int64_t ns);  // "+1.2 ms"
Cell amount_cell(uint64_t count);
Cell name_cell(const std::string& name);  // cut where it is long, and whole on demand

}  // namespace aaco::report
