// SPDX-License-Identifier: MIT
// Memory that the framework's allocator gave out.
#include <fmt/format.h>

#include "report/trace/sections.h"
#include "report/trace/values.h"
#include "report/values.h"

namespace aaco::report {

namespace {

std::string name_of(const AllocatorUse& use) {
  return fmt::format("{}{}", use.device_type == 0 ? "host" : device_name(use.device),
                     use.totals ? "" : " since the beginning");
}

}  // namespace

void outline_memory(const TraceInput& input, Outline& at) {
  const TableRows uses = input.rows(memory_use_table);
  size_t row = 0;
  at.list("memory", input.summary.memory, [&](const AllocatorUse& use, Outline& inner) {
    inner.figures(uses[row++],
                  "recording rank device_type device allocations frees allocated_bytes freed_bytes since_beginning? "
                  "first_bytes last_bytes peak_bytes peak_at_ns peak_reserved_bytes");
    if (inner.is_data()) {
      inner.rows("timeline", input.rows(memory_timeline_table, {use.recording, use.rank, use.device_type, use.device}),
                 "start_ns max_bytes:most");
    }
  });
  if (!uses.empty()) {
    at.section();
    at.show(shown_rows(uses,
                       {{.title = "memory",
                         .cell =
                             [&](const TableRow& table_row) {
                               const AllocatorUse& use = input.summary.memory[table_row.index()];
                               return text_cell(of_rank(name_of(use), input.events, use.recording, use.rank));
                             }},
                        {"allocations", "allocations"},
                        {"frees", "frees"},
                        {"at first", "first_bytes"},
                        {"peak", "peak_bytes"},
                        {"at last", "last_bytes"},
                        {.title = "peak reserved", .column = "peak_reserved_bytes", .missing = "not recorded"}},
                       SIZE_MAX));
  }
}

}  // namespace aaco::report
