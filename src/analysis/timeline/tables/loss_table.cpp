// SPDX-License-Identifier: MIT
// Everything that is in no figure, or in no figure as it should be.
#include "analysis/timeline/tables/analysis_tables.h"
#include "record/events/trace_rows.h"

namespace aaco {

Table all_losses_table(const EventTable&, const TraceSummary& summary) {
  std::vector<TraceLossRow> rows;
  for (const LossTable::Entry& entry : summary.losses.entries()) {
    rows.push_back(loss_row(entry));
  }
  Table table = to_table(rows);
  table.name = "all_losses";
  return table;
}

}  // namespace aaco
