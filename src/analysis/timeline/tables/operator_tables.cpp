// SPDX-License-Identifier: MIT
// Operators of the framework, and how device work was joined to them.
#include "analysis/timeline/tables/analysis_tables.h"
#include "analysis/timeline/tables/table_maker.h"

namespace aaco {

namespace {

struct Row {
  const OperatorWork& work;
  const OperatorStatistics& item;
};

Table statistics_table(const EventTable& events, const TraceSummary& summary,
                       std::vector<OperatorStatistics> OperatorWork::* list) {
  TableMaker<Row> table("operators");
  table.integers("recording", "", "index of the recording", [](const Row& row) { return row.work.recording; })
      .integers("rank", "", "of the job", [](const Row& row) { return known_id(row.work.rank); })
      .texts("name", "", [&](const Row& row) { return known_text(events, row.item.name); })
      .texts("input_shapes", "as the trace writes them; null where it does not",
             [&](const Row& row) { return known_text(events, row.item.shapes); })
      .integers("count", "1", "", [](const Row& row) { return to_integer(row.item.count); })
      .integers("launched", "1", "device slices that it launched itself",
                [](const Row& row) { return to_integer(row.item.launched); })
      .integers("self_ns", "ns", "sum of their durations", [](const Row& row) { return row.item.self_ns; })
      .integers("total_ns", "ns", "and of what operators within it launched",
                [](const Row& row) { return row.item.total_ns; })
      .integers("host_ns", "ns", "of its thread", [](const Row& row) { return row.item.host_ns; })
      .integers("host_self_ns", "ns", "of its thread, outside operators within it",
                [](const Row& row) { return row.item.host_self_ns; });
  for (const OperatorWork& work : summary.operators) {
    for (const OperatorStatistics& item : work.*list) {
      table.add({work, item});
    }
  }
  return table.finish();
}

}  // namespace

Table operators_table(const EventTable& events, const TraceSummary& summary) {
  return statistics_table(events, summary, &OperatorWork::by_shape);
}

Table operators_by_name_table(const EventTable& events, const TraceSummary& summary) {
  return statistics_table(events, summary, &OperatorWork::by_name);
}

Table operator_links_table(const EventTable&, const TraceSummary& summary) {
  TableMaker<OperatorWork> table("operator_links");
  table.integers("recording", "", "index of the recording", [](const OperatorWork& work) { return work.recording; })
      .integers("rank", "", "of the job", [](const OperatorWork& work) { return known_id(work.rank); })
      .integers("by_time", "1", "the innermost operator on the thread of the launching call, as that began",
                [](const OperatorWork& work) { return to_integer(work.links.by_time); })
      .integers("by_external_id", "1", "no operator there, but one has the same external id",
                [](const OperatorWork& work) { return to_integer(work.links.by_external_id); })
      .integers("no_operator", "1", "the launching call is known, an operator is not",
                [](const OperatorWork& work) { return to_integer(work.links.no_operator); })
      .integers("no_launch", "1", "the launching call is not in the trace",
                [](const OperatorWork& work) { return to_integer(work.links.no_launch); })
      .integers("device_ns", "ns", "sum of the durations of all device slices",
                [](const OperatorWork& work) { return work.device_ns; });
  for (const OperatorWork& work : summary.operators) {
    table.add(work);
  }
  return table.finish();
}

}  // namespace aaco
