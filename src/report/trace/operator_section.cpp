// SPDX-License-Identifier: MIT
#include "report/trace/operator_section.h"

#include <fmt/format.h>
#include <vector>

#include "base/json.h"
#include "report/trace/row_sinks.h"
#include "report/trace/values.h"
#include "report/values.h"
#include "trace/intervals.h"

namespace aaco::report {

namespace {

TableBlock statistics_table(const EventTable& events, const std::vector<OperatorStatistics>& all, int64_t device_ns,
                            size_t most) {
  TableBlock table{.id = "operators",
                   .columns = {{"operator", false, "name", kLongestName},
                               {"count", true, "count"},
                               {"launched", true, "launched"},
                               {"self", true, "self_ns"},
                               {"of device", true},
                               {"total", true, "total_ns"},
                               {"on host", true, "host_ns"},
                               {"self on host", true, "host_self_ns"},
                               {.key = "input_shapes"}},
                   .most = most};
  for (const OperatorStatistics& one : all) {
    table.rows.push_back({text_cell(std::string(events.strings[one.name])), amount_cell(one.count),
                          amount_cell(one.launched), time_cell(one.self_ns), share_cell(one.self_ns, device_ns),
                          time_cell(one.total_ns), time_cell(one.host_ns), time_cell(one.host_self_ns),
                          words_cell(events, one.shapes)});
  }
  return table;
}

TableBlock by_name_table(const EventTable& events, const OperatorWork& work, size_t most) {
  TableBlock table = statistics_table(events, work.by_name, work.device_ns, most);
  table.columns.pop_back();  // shapes
  return table;
}

std::string others_text(const OperatorWork& work, size_t most) {
  return most < work.by_name.size() ? fmt::format("{} other operators\n", work.by_name.size() - most) : "";
}

std::string table_text(const EventTable& events, const OperatorWork& work, size_t most) {
  return rows_text(by_name_table(events, work, most)) + others_text(work, most);
}

// Of operators that launched nothing.
std::string host_table_text(const EventTable& events, const OperatorWork& work, size_t most) {
  int64_t all_ns = 0;
  for (const OperatorStatistics& one : work.by_name) {
    all_ns = saturating_sum(all_ns, one.host_self_ns);
  }
  TableBlock table{.id = "host-operators",
                   .columns = {{"operator", false, "", kLongestName},
                               {"count", true},
                               {"self on host", true},
                               {"of all", true},
                               {"on host", true},
                               {"mean self", true}},
                   .most = most};
  for (const OperatorStatistics& one : work.by_name) {
    table.rows.push_back({text_cell(std::string(events.strings[one.name])), amount_cell(one.count),
                          time_cell(one.host_self_ns), share_cell(one.host_self_ns, all_ns), time_cell(one.host_ns),
                          time_cell(one.host_self_ns / static_cast<int64_t>(one.count))});
  }
  return rows_text(table) + others_text(work, most);
}

}  // namespace

Json operators_json(const EventTable& events, const TraceSummary& summary) {
  Json list = Json::array();
  for (const OperatorWork& work : summary.operators) {
    list.push_back({{"recording", work.recording},
                    {"rank", id_json(work.rank)},
                    {"device_ns", work.device_ns},
                    {"links",
                     {{"by_time", work.links.by_time},
                      {"by_external_id", work.links.by_external_id},
                      {"no_operator", work.links.no_operator},
                      {"no_launch", work.links.no_launch}}},
                    {"by_name", rows_json(by_name_table(events, work, SIZE_MAX))},
                    {"by_shape", rows_json(statistics_table(events, work.by_shape, work.device_ns, SIZE_MAX))}});
  }
  return list;
}

std::string operators_text(const EventTable& events, const TraceSummary& summary, size_t most) {
  std::string text;
  for (const OperatorWork& work : summary.operators) {
    const OperatorLinks& links = work.links;
    if (links.by_time + links.by_external_id == 0) {
      text += fmt::format("\n{}\nnothing on a device is theirs: their time on the host\n{}",
                          of_rank("operators", events, work.recording, work.rank), host_table_text(events, work, most));
      continue;
    }
    text += fmt::format("\n{}\nlinked by time {}, by external id {}; without an operator {}, without a launch {}\n{}",
                        of_rank("operators", events, work.recording, work.rank), links.by_time, links.by_external_id,
                        links.no_operator, links.no_launch, table_text(events, work, most));
  }
  return text;
}

}  // namespace aaco::report
