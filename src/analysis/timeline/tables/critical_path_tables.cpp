// SPDX-License-Identifier: MIT
// What determined how long a trace took.
#include <algorithm>

#include "analysis/timeline/tables/analysis_tables.h"
#include "analysis/timeline/tables/table_maker.h"

namespace aaco {

namespace {

// The columns that these tables begin with; a row has a member `path`, an index.
template <class Row>
void add_path_columns(TableMaker<Row>& table, const TraceSummary& summary) {
  table.integers("path", "", "index of the critical path", [](const Row& row) { return to_integer(row.path); })
      .integers("recording", "", "of its first rank",
                [&](const Row& row) { return summary.critical_paths[row.path].ranks.front().first; })
      .integers("rank", "", "its first; collectives may join others",
                [&](const Row& row) { return known_id(summary.critical_paths[row.path].ranks.front().second); });
}

}  // namespace

Table critical_path_items_table(const EventTable& events, const TraceSummary& summary) {
  struct Row {
    uint64_t path;
    const PathItem& item;
  };
  TableMaker<Row> table("critical_path_items");
  add_path_columns(table, summary);
  table.texts("kind", "", [](const Row& row) { return word_of(row.item.kind); })
      .texts("name", "null where nothing is recorded",
             [&](const Row& row) { return known_text(events, row.item.name); })
      .integers("parts", "1", "", [](const Row& row) { return to_integer(row.item.parts); })
      .integers("total_ns", "ns", "adds up to the path's window", [](const Row& row) { return row.item.total_ns; });
  for (uint64_t path = 0; path < summary.critical_paths.size(); ++path) {
    for (const PathItem& item : summary.critical_paths[path].items) {
      table.add({path, item});
    }
  }
  return table.finish();
}

Table critical_path_parts_table(const EventTable& events, const TraceSummary& summary, RowRange rows) {
  struct Row {
    uint64_t path;
    PathPart part;
    int64_t duration_ns;
  };
  TableMaker<Row> table("critical_path_parts");
  add_path_columns(table, summary);
  table.integers("start_ns", "ns", "", [](const Row& row) { return row.part.start_ns; })
      .integers("duration_ns", "ns", "to the next part's start", [](const Row& row) { return row.duration_ns; })
      .texts("kind", "", [](const Row& row) { return word_of(row.part.kind); })
      .texts("name", "null where nothing is recorded",
             [&](const Row& row) { return known_text(events, row.part.name); });
  for (uint64_t path = 0; path < summary.critical_paths.size(); ++path) {
    const CriticalPath& critical_path = summary.critical_paths[path];
    for (size_t i = std::min(rows.first, critical_path.parts.size()); i < critical_path.parts.size() && rows.count > 0;
         ++i) {
      table.add({path, critical_path.parts[i], critical_path.part_ns(i)});
      --rows.count;
    }
    rows.first -= std::min(rows.first, critical_path.parts.size());
  }
  return table.finish();
}

Table critical_path_steps_table(const EventTable& events, const TraceSummary& summary) {
  struct Row {
    uint64_t path;
    const PathStep& step;
    PathKind kind;
  };
  TableMaker<Row> table("critical_path_steps");
  add_path_columns(table, summary);
  table.texts("step", "", [&](const Row& row) { return known_text(events, row.step.name); })
      .integers("start_ns", "ns", "", [](const Row& row) { return row.step.span.start_ns; })
      .integers("end_ns", "ns", "", [](const Row& row) { return row.step.span.end_ns; })
      .texts("kind", "", [](const Row& row) { return word_of(row.kind); })
      .integers("total_ns", "ns", "adds up to the step",
                [](const Row& row) { return row.step.shares[static_cast<size_t>(row.kind)]; });
  for (uint64_t path = 0; path < summary.critical_paths.size(); ++path) {
    for (const PathStep& step : summary.critical_paths[path].steps) {
      for (size_t kind = 0; kind < kPathKinds; ++kind) {
        table.add({path, step, static_cast<PathKind>(kind)});
      }
    }
  }
  return table.finish();
}

}  // namespace aaco
