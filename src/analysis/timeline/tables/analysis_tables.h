// SPDX-License-Identifier: MIT
// What is known of a trace as tables, for CSV, for SQL and for other programs: the figures of the report without its
// shortening.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/timeline/trace_summary.h"
#include "record/events/event_table.h"
#include "record/table.h"

namespace aaco {

struct RowRange {
  size_t first = 0;
  size_t count = SIZE_MAX;  // or as many as there are
};

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

// To add a table: a line here, and a file with the function NAME_table. It is then in the text, the JSON, the page and
// the CSV of `aaco trace report`, and in sessions for SQL. PART: a table that may have as many rows as the trace has
// events, made piece by piece.
#define AACO_ANALYSIS_TABLES(TABLE, PART)                                                             \
  TABLE(device_time, "one row per device")                                                            \
  TABLE(idle_causes, "one row per device and cause")                                                  \
  TABLE(idle_holders, "one row per device, cause and what held it")                                   \
  TABLE(launch_queue, "one row per device")                                                           \
  TABLE(launch_queue_timeline, "one row per device and part of its window, of at most a hundred")     \
  TABLE(kernel_statistics, "one row per device and name of a kernel, copy or memory set")             \
  TABLE(kernel_lengths, "one row per device and class of kernels' lengths")                           \
  TABLE(collectives, "one row per device and kind of collective")                                     \
  PART(collective_kernels, "one row per collective on a device")                                      \
  TABLE(rank_clocks, "one row per rank that shares collectives with others")                          \
  TABLE(rank_comparison, "one row per kind of collective and rank")                                   \
  TABLE(operators, "one row per process, operator and input shapes")                                  \
  TABLE(operator_links, "one row per process: how its device slices were joined to operators")        \
  TABLE(operator_rooflines, "one row per process, operator, input shapes and work")                   \
  TABLE(backward_ratios, "one row per process and family of products")                                \
  TABLE(suspects, "one row per figure that cannot be right or needs an explanation")                  \
  TABLE(findings, "one row per pattern found on a device or process, what could be saved most first") \
  TABLE(offenders, "one row per thing worth fixing, the largest stake first")                         \
  TABLE(memory_use, "one row per process and device")                                                 \
  TABLE(memory_timeline, "one row per process, device and part of the time, of at most a hundred")    \
  TABLE(critical_path_items, "one row per critical path, kind and name")                              \
  PART(critical_path_parts, "one row per stretch of a critical path, in order of time")               \
  TABLE(critical_path_steps, "one row per step and kind")                                             \
  TABLE(step_classes, "one row per device and class of a serving engine's steps")                     \
  PART(engine_steps, "one row per device and step of a serving engine")                               \
  TABLE(kernel_counters, "one row per device, kernel and figure of hardware counters")                \
  TABLE(counted_operators, "one row per kernel with counters and operator that launched it")          \
  TABLE(sampled_kernels, "one row per device, kernel and method of sampling the program counter")     \
  PART(sampled_instructions, "one row per sampled kernel, instruction and what the wave did")         \
  TABLE(all_losses, "one row per loss, of reading and of joining")

#define AACO_TABLE_FUNCTION_(name, meaning) Table name##_table(const EventTable& events, const TraceSummary& summary);
#define AACO_PART_FUNCTION_(name, meaning) \
  Table name##_table(const EventTable& events, const TraceSummary& summary, RowRange rows);
AACO_ANALYSIS_TABLES(AACO_TABLE_FUNCTION_, AACO_PART_FUNCTION_)

// As operators, without shapes: no table of its own for SQL, which adds rows up.
Table operators_by_name_table(const EventTable& events, const TraceSummary& summary);

}  // namespace aaco
