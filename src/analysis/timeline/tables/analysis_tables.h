// SPDX-License-Identifier: MIT
// What is known of a trace as tables, for CSV, for SQL and for other programs: the figures of the report without its
// shortening.
#pragma once

#include <span>

#include "analysis/timeline/trace_summary.h"
#include "trace/event_table.h"
#include "trace/table.h"

namespace aaco {

// To add a table: a function, and a line in analysis_tables.cpp.
struct AnalysisTable {
  const char* name;     // of the table and of its file
  const char* meaning;  // "one row per ..."
  Table (*make)(const EventTable& events, const TraceSummary& summary);
};

std::span<const AnalysisTable> all_analysis_tables();

// By subject.
Table device_time_table(const EventTable& events, const TraceSummary& summary);
Table idle_causes_table(const EventTable& events, const TraceSummary& summary);
Table idle_holders_table(const EventTable& events, const TraceSummary& summary);
Table launch_queue_table(const EventTable& events, const TraceSummary& summary);
Table kernel_statistics_table(const EventTable& events, const TraceSummary& summary);
Table collectives_table(const EventTable& events, const TraceSummary& summary);
Table collective_kernels_table(const EventTable& events, const TraceSummary& summary);
Table rank_clocks_table(const EventTable& events, const TraceSummary& summary);
Table rank_comparison_table(const EventTable& events, const TraceSummary& summary);
Table operators_table(const EventTable& events, const TraceSummary& summary);
Table operator_links_table(const EventTable& events, const TraceSummary& summary);
Table operator_rooflines_table(const EventTable& events, const TraceSummary& summary);
Table backward_ratios_table(const EventTable& events, const TraceSummary& summary);
Table suspects_table(const EventTable& events, const TraceSummary& summary);
Table offenders_table(const EventTable& events, const TraceSummary& summary);
Table memory_use_table(const EventTable& events, const TraceSummary& summary);
Table critical_path_items_table(const EventTable& events, const TraceSummary& summary);
Table critical_path_parts_table(const EventTable& events, const TraceSummary& summary);
Table critical_path_steps_table(const EventTable& events, const TraceSummary& summary);
Table kernel_counters_table(const EventTable& events, const TraceSummary& summary);
Table counted_operators_table(const EventTable& events, const TraceSummary& summary);
Table all_losses_table(const EventTable& events, const TraceSummary& summary);

}  // namespace aaco
