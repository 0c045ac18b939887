// SPDX-License-Identifier: MIT
#include "session/timeline_view.h"

#include <array>
#include <fmt/format.h>

#include "record/collected_rows.h"
#include "record/events/trace_rows.h"
#include "record/rows.h"

namespace aaco {

namespace {

struct TimelineColumn {
  const char* name;
  ColumnType type;
  const char* unit;
  const char* meaning;
};

constexpr std::array kColumns{
    TimelineColumn{"t_start_ns", ColumnType::kInt64, "ns", "start, session time"},
    TimelineColumn{"t_end_ns", ColumnType::kInt64, "ns", "end; null: a moment"},
    TimelineColumn{"plane", ColumnType::kString, "", "table that it is of"},
    TimelineColumn{"kind", ColumnType::kString, "", "phase, activity or kind there; off_cpu or sample"},
    TimelineColumn{"name", ColumnType::kString, "", "what happened, or what was sampled"},
    TimelineColumn{"process", ColumnType::kInt64, "1", "index of the process of a run"},
    TimelineColumn{"process_id", ColumnType::kInt64, "1", "process, as the system numbers it"},
    TimelineColumn{"thread", ColumnType::kString, "", "thread, as the system numbers it or the trace names it"},
    TimelineColumn{"device", ColumnType::kString, "", "number or PCI address of the device"},
    TimelineColumn{"stream", ColumnType::kInt64, "1", "stream of the device"},
    TimelineColumn{"iter_idx", ColumnType::kInt64, "1", "iteration, where the table names it"},
    TimelineColumn{"value", ColumnType::kDouble, "",
                   "of a sample its value; of off_cpu the ns in the run queue; of host_events theirs"},
    TimelineColumn{"detail", ColumnType::kString, "", "node of a kernel; who ran instead; arguments"},
};

const char* sql_type(ColumnType type) {
  return type == ColumnType::kInt64 ? "BIGINT" : type == ColumnType::kDouble ? "DOUBLE" : "VARCHAR";
}

// The table with every column that its row type has today.
template <class Row>
std::string whole_table() {
  std::string nulls;
  for (const ColumnInfo& column : column_infos<Row>()) {
    nulls += fmt::format("{}CAST(NULL AS {}) AS \"{}\"", nulls.empty() ? "" : ", ", sql_type(column.type), column.name);
  }
  return fmt::format("(SELECT {} WHERE false UNION ALL BY NAME SELECT * FROM \"{}\")", nulls, RowSchema<Row>::kName);
}

class Select {
 public:
  explicit Select(const std::function<bool(std::string_view)>& has_table) : has_table_(has_table) {}

  // `columns`: of the view, by name; the others are null.
  template <class Row>
  void add(const std::string& columns, const std::string& rest = "") {
    if (has_table_(RowSchema<Row>::kName)) {
      text_ += fmt::format(" UNION ALL BY NAME SELECT '{}' AS plane, {} FROM {} AS entry {}", RowSchema<Row>::kName,
                           columns, whole_table<Row>(), rest);
    }
  }

  // A row for each value of a sample.
  template <class Row>
  void add_samples(const std::string& columns, std::string_view left_out) {
    for (const ColumnInfo& column : column_infos<Row>()) {
      if (column.nullable && column.type != ColumnType::kString && column.name != left_out) {
        add<Row>(
            fmt::format("'sample' AS kind, '{0}' AS name, CAST(\"{0}\" AS DOUBLE) AS value, {1}", column.name, columns),
            fmt::format("WHERE \"{}\" IS NOT NULL", column.name));
      }
    }
  }

  std::string finish() const {
    std::string nulls;
    for (const TimelineColumn& column : kColumns) {
      nulls += fmt::format("{}CAST(NULL AS {}) AS {}", nulls.empty() ? "" : ", ", sql_type(column.type), column.name);
    }
    return text_.empty() ? "" : fmt::format("SELECT {} WHERE false{}", nulls, text_);
  }

 private:
  const std::function<bool(std::string_view)>& has_table_;
  std::string text_;
};

}  // namespace

std::vector<ColumnInfo> timeline_columns() {
  std::vector<ColumnInfo> columns;
  for (const TimelineColumn& column : kColumns) {
    columns.push_back({column.name, column.type, column.unit, column.meaning, true});
  }
  return columns;
}

std::string timeline_select(const std::function<bool(std::string_view)>& has_table) {
  Select select(has_table);
  select.add<IterationRow>(
      "t_start_ns, t_end_ns, phase AS kind, 'iteration' AS name, process, iter_idx, latency_ms AS value");
  select.add<KernelRow>(
      "t_start_ns, t_end_ns, activity AS kind, kernel_name AS name, process, CAST(thread_id AS VARCHAR) AS thread, "
      "CAST(device AS VARCHAR) AS device, stream, iter_idx, node_name AS detail");
  if (has_table(RowSchema<TraceTrackRow>::kName)) {
    select.add<TraceEventRow>(
        "start_ns AS t_start_ns, start_ns + duration_ns AS t_end_ns, kind, name, tracks.thread AS thread, "
        "CAST(tracks.device AS VARCHAR) AS device, tracks.stream AS stream, category AS detail",
        "LEFT JOIN tracks USING (track) WHERE start_ns IS NOT NULL");
  }
  select.add<OffCpuRow>(
      "t_start_ns, t_end_ns, 'off_cpu' AS kind, reason AS name, process_id, CAST(thread_id AS VARCHAR) AS thread, "
      "CAST(run_queue_ns AS DOUBLE) AS value, next_name AS detail");
  select.add<HostEventRow>(
      "t_start_ns, t_end_ns, kind, name, process_id, CAST(thread_id AS VARCHAR) AS thread, CAST(value AS DOUBLE) AS "
      "value");
  select.add<PlaneEventRow>(
      "t_start_ns, t_end_ns, entry.plane AS kind, name, process, CAST(thread_id AS VARCHAR) AS thread, "
      "CAST(device AS VARCHAR) AS device, stream, arguments AS detail");
  select.add_samples<SystemRow>("t_ns - interval_ns AS t_start_ns, t_ns AS t_end_ns, pid AS process_id", "pid");
  select.add_samples<GpuSampleRow>("t_ns AS t_start_ns, device", "");
  return select.finish();
}

}  // namespace aaco
