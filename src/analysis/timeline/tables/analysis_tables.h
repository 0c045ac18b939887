// SPDX-License-Identifier: MIT
// What is known of a trace as tables, for CSV, for SQL and for other programs: the figures of the report without its
// shortening.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/timeline/trace_summary.h"
#include "trace/event_table.h"
#include "trace/table.h"

namespace aaco {

struct RowRange {
  size_t first = 0;
  size_t count = SIZE_MAX;  // or as many as there are
};

// To add a table: a function, and a line in analysis_tables.cpp.
struct AnalysisTable {
  const char* name;     // of the table and of its file
  const char* meaning;  // "one row per ..."
  // One of the two; the second of a table that may have as many rows as the trace has events.
  Table (*whole)(const EventTable& events, const TraceSummary& summary);
  Table (*part)(const EventTable& events, const TraceSummary& summary, RowRange rows) = nullptr;

  Table make(const EventTable& events, const TraceSummary& summary) const;  // all rows
};

std::span<const AnalysisTable> all_analysis_tables();

// The rows of a table, of which no more than a piece is in memory. All that is given has to outlive it.
class TablePieces {
 public:
  static constexpr size_t kRows = 8192;  // of a piece, where the table comes in parts

  TablePieces(const AnalysisTable& table, const EventTable& events, const TraceSummary& summary);
  std::vector<ColumnInfo> columns() const;
  // At least one, then null; good until the next call.
  const Table* next();

 private:
  Table piece(size_t first) const;

  const AnalysisTable& table_;
  const EventTable& events_;
  const TraceSummary& summary_;
  Table piece_;  // that was given last; before that the first
  size_t next_ = 0;
};

// By subject.
Table device_time_table(const EventTable& events, const TraceSummary& summary);
Table idle_causes_table(const EventTable& events, const TraceSummary& summary);
Table idle_holders_table(const EventTable& events, const TraceSummary& summary);
Table launch_queue_table(const EventTable& events, const TraceSummary& summary);
Table launch_queue_timeline_table(const EventTable& events, const TraceSummary& summary);
Table kernel_statistics_table(const EventTable& events, const TraceSummary& summary);
Table kernel_lengths_table(const EventTable& events, const TraceSummary& summary);
Table collectives_table(const EventTable& events, const TraceSummary& summary);
Table collective_kernels_table(const EventTable& events, const TraceSummary& summary, RowRange rows);
Table rank_clocks_table(const EventTable& events, const TraceSummary& summary);
Table rank_comparison_table(const EventTable& events, const TraceSummary& summary);
Table operators_table(const EventTable& events, const TraceSummary& summary);
Table operator_links_table(const EventTable& events, const TraceSummary& summary);
Table operator_rooflines_table(const EventTable& events, const TraceSummary& summary);
Table backward_ratios_table(const EventTable& events, const TraceSummary& summary);
Table suspects_table(const EventTable& events, const TraceSummary& summary);
Table findings_table(const EventTable& events, const TraceSummary& summary);
Table offenders_table(const EventTable& events, const TraceSummary& summary);
Table allocator_use_table(const EventTable& events, const TraceSummary& summary);
Table memory_timeline_table(const EventTable& events, const TraceSummary& summary);
Table critical_path_items_table(const EventTable& events, const TraceSummary& summary);
Table critical_path_parts_table(const EventTable& events, const TraceSummary& summary, RowRange rows);
Table critical_path_steps_table(const EventTable& events, const TraceSummary& summary);
Table kernel_counters_table(const EventTable& events, const TraceSummary& summary);
Table counted_operators_table(const EventTable& events, const TraceSummary& summary);
Table sampled_kernels_table(const EventTable& events, const TraceSummary& summary);
Table sampled_instructions_table(const EventTable& events, const TraceSummary& summary, RowRange rows);
Table all_losses_table(const EventTable& events, const TraceSummary& summary);

}  // namespace aaco
