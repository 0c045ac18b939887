// SPDX-License-Identifier: MIT
#include "analysis/timeline/tables/analysis_tables.h"

#include <array>

namespace aaco {

namespace {

constexpr std::array kTables = {
    AnalysisTable{"device_time", "one row per device", device_time_table},
    AnalysisTable{"idle_causes", "one row per device and cause", idle_causes_table},
    AnalysisTable{"idle_holders", "one row per device, cause and what held it", idle_holders_table},
    AnalysisTable{"launch_queue", "one row per device", launch_queue_table},
    AnalysisTable{"launch_queue_timeline", "one row per device and part of its window, of at most a hundred",
                  launch_queue_timeline_table},
    AnalysisTable{"kernel_statistics", "one row per device and name of a kernel, copy or memory set",
                  kernel_statistics_table},
    AnalysisTable{"kernel_lengths", "one row per device and class of kernels' lengths", kernel_lengths_table},
    AnalysisTable{"collectives", "one row per device and kind of collective", collectives_table},
    AnalysisTable{"collective_kernels", "one row per collective on a device", nullptr, collective_kernels_table},
    AnalysisTable{"rank_clocks", "one row per rank that shares collectives with others", rank_clocks_table},
    AnalysisTable{"rank_comparison", "one row per kind of collective and rank", rank_comparison_table},
    AnalysisTable{"operators", "one row per process, operator and input shapes", operators_table},
    AnalysisTable{"operator_links", "one row per process: how its device slices were joined to operators",
                  operator_links_table},
    AnalysisTable{"operator_rooflines", "one row per process, operator, input shapes and work",
                  operator_rooflines_table},
    AnalysisTable{"backward_ratios", "one row per process and family of products", backward_ratios_table},
    AnalysisTable{"suspects", "one row per figure that cannot be right or needs an explanation", suspects_table},
    AnalysisTable{"findings", "one row per pattern found on a device or process, what could be saved most first",
                  findings_table},
    AnalysisTable{"offenders", "one row per thing worth fixing, the largest stake first", offenders_table},
    AnalysisTable{"memory_use", "one row per process and device", allocator_use_table},
    AnalysisTable{"memory_timeline", "one row per process, device and part of the time, of at most a hundred",
                  memory_timeline_table},
    AnalysisTable{"critical_path_items", "one row per critical path, kind and name", critical_path_items_table},
    AnalysisTable{"critical_path_parts", "one row per stretch of a critical path, in order of time", nullptr,
                  critical_path_parts_table},
    AnalysisTable{"critical_path_steps", "one row per step and kind", critical_path_steps_table},
    AnalysisTable{"kernel_counters", "one row per device, kernel and figure of hardware counters",
                  kernel_counters_table},
    AnalysisTable{"counted_operators", "one row per kernel with counters and operator that launched it",
                  counted_operators_table},
    AnalysisTable{"sampled_kernels", "one row per device, kernel and method of sampling the program counter",
                  sampled_kernels_table},
    AnalysisTable{"sampled_instructions", "one row per sampled kernel, instruction and what the wave did", nullptr,
                  sampled_instructions_table},
    AnalysisTable{"all_losses", "one row per loss, of reading and of joining", all_losses_table},
};

}  // namespace

std::span<const AnalysisTable> all_analysis_tables() { return kTables; }

Table AnalysisTable::make(const EventTable& events, const TraceSummary& summary) const {
  return whole != nullptr ? whole(events, summary) : part(events, summary, RowRange());
}

TablePieces::TablePieces(const AnalysisTable& table, const EventTable& events, const TraceSummary& summary)
    : table_(table), events_(events), summary_(summary), piece_(piece(0)) {}

std::vector<ColumnInfo> TablePieces::columns() const {
  std::vector<ColumnInfo> columns;
  for (const TableColumn& column : piece_.columns) {
    columns.push_back(column.info);
  }
  return columns;
}

const Table* TablePieces::next() {
  if (next_ > 0) {
    piece_ = Table();  // before the next one is made
    piece_ = piece(next_);
  }
  if (next_ > 0 && piece_.row_count == 0) {
    return nullptr;
  }
  next_ += kRows;
  return &piece_;
}

Table TablePieces::piece(size_t first) const {
  if (table_.part != nullptr) {
    return table_.part(events_, summary_, {first, kRows});
  }
  return first == 0 ? table_.whole(events_, summary_) : Table();
}

}  // namespace aaco
