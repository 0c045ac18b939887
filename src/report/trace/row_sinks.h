// SPDX-License-Identifier: MIT
// Tables of a trace's report, each described once: as the objects of `--json`, which have every row and every number as
// it was found, and as lines of a terminal.
#pragma once

#include <string>

#include "base/json_fwd.h"
#include "report/report_model.h"
#include "trace/event_table.h"

namespace aaco::report {

// An array of objects, of the columns that have a key. Where there is no number in a column of numbers, or a reason why
// there are no words, it is null.
Json rows_json(const TableBlock& table);
// Of the columns that are drawn, the first rows.
std::string rows_text(const TableBlock& table);

// Times as parts of a whole: what it is, the time, its share.
TableBlock share_table(const char* what, const char* of_what);
void add_share(TableBlock& table, std::string name, int64_t part_ns, int64_t whole_ns);

// Cells of a part of a whole: "12.34 %" for a terminal.
Cell share_cell(int64_t part, int64_t whole);
Cell time_cell(int64_t ns);
Cell time_change_cell(int64_t ns);  // "+1.2 ms"
Cell amount_cell(uint64_t count);
Cell id_cell(int64_t id);                                // empty where it is not known
Cell words_cell(const EventTable& events, StringId id);  // with a reason where there are none
Cell name_cell(const std::string& name);                 // cut where it is long, and whole on demand

}  // namespace aaco::report
