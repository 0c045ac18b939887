// SPDX-License-Identifier: MIT
// What the operators of a framework cost on the device.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <vector>

#include "base/format.h"
#include "record/intervals.h"
#include "report/trace/row_sinks.h"
#include "report/trace/sections.h"
#include "report/trace/values.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr const char* kStatistics = "name count launched self_ns total_ns host_ns host_self_ns";

TableBlock device_columns(const TableRows& rows, int64_t device_ns, size_t most) {
  return shown_rows(rows,
                    {{.title = "operator", .column = "name", .longest = kLongestName},
                     {"count", "count"},
                     {"launched", "launched"},
                     {"self", "self_ns"},
                     {.title = "of device", .cell = share_of("self_ns", device_ns)},
                     {"total", "total_ns"},
                     {"on host", "host_ns"},
                     {"self on host", "host_self_ns"}},
                    most);
}

// Of operators that launched nothing.
TableBlock host_columns(const TableRows& rows, size_t most) {
  int64_t all_ns = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    all_ns = saturating_sum(all_ns, rows[i].integer("host_self_ns"));
  }
  return shown_rows(
      rows,
      {{.title = "operator", .column = "name", .longest = kLongestName},
       {"count", "count"},
       {"self on host", "host_self_ns"},
       {.title = "of all", .cell = share_of("host_self_ns", all_ns)},
       {"on host", "host_ns"},
       {.title = "mean self",
        .cell = [](const TableRow& row) { return time_cell(row.integer("host_self_ns") / row.integer("count")); }}},
      most);
}

}  // namespace

namespace {

// Of several ranks one table: each operator with what it took on all of them.
void show_all_ranks(const TraceInput& input, Outline& at) {
  std::map<StringId, OperatorStatistics> by_name;
  int64_t device_ns = 0;
  for (const OperatorWork& work : input.summary.operators) {
    device_ns = saturating_sum(device_ns, work.device_ns);
    for (const OperatorStatistics& statistics : work.by_name) {
      OperatorStatistics& sum = by_name[statistics.name];
      sum.name = statistics.name;
      sum.count += statistics.count;
      sum.launched += statistics.launched;
      for (int64_t OperatorStatistics::* const ns : {&OperatorStatistics::self_ns, &OperatorStatistics::total_ns,
                                                     &OperatorStatistics::host_ns, &OperatorStatistics::host_self_ns}) {
        sum.*ns = saturating_sum(sum.*ns, statistics.*ns);
      }
    }
  }
  std::vector<OperatorStatistics> sums;
  for (const auto& [name, sum] : by_name) {
    sums.push_back(sum);
  }
  const bool on_device = device_ns > 0;
  std::stable_sort(sums.begin(), sums.end(), [&](const OperatorStatistics& a, const OperatorStatistics& b) {
    return on_device ? a.self_ns > b.self_ns : a.host_self_ns > b.host_self_ns;
  });
  at.section(fmt::format("operators of {} ranks", input.summary.operators.size()));
  TableBlock table{.columns = {{.title = "operator", .longest = kLongestName},
                               {"count", true},
                               {"launched", true},
                               {"self", true},
                               {"of device", true},
                               {"total", true},
                               {"on host", true},
                               {"self on host", true}}};
  for (size_t i = 0; i < std::min(at.most(), sums.size()); ++i) {
    const OperatorStatistics& sum = sums[i];
    table.rows.push_back({text_cell(std::string(input.events.strings[sum.name])), amount_cell(sum.count),
                          amount_cell(sum.launched), time_cell(sum.self_ns), share_cell(sum.self_ns, device_ns),
                          time_cell(sum.total_ns), time_cell(sum.host_ns), time_cell(sum.host_self_ns)});
  }
  if (sums.size() > at.most()) {
    table.note = counted(sums.size() - at.most(), "other operator", "other operators");
  }
  at.show(std::move(table));
}

}  // namespace

void outline_operators(const TraceInput& input, Outline& at) {
  if (!at.is_data() && input.summary.operators.size() > 1) {
    show_all_ranks(input, at);
    return;
  }
  at.list("operators", input.summary.operators, [&](const OperatorWork& work, Outline& inner) {
    const auto rows = [&](TraceInput::TableFunction table) { return input.rows(table, {work.recording, work.rank}); };
    inner.figures(rows(operator_links_table)[0],
                  "recording rank device_ns by_time:links.by_time by_external_id:links.by_external_id "
                  "no_operator:links.no_operator no_launch:links.no_launch");
    const TableRows by_name = rows(operators_by_name_table);
    inner.rows("by_name", by_name, kStatistics);
    if (inner.is_data()) {
      inner.rows("by_shape", rows(operators_table), std::string(kStatistics) + " input_shapes");
    }
    inner.section(of_rank("operators", input.events, work.recording, work.rank));
    const bool on_device = work.links.by_time + work.links.by_external_id > 0;
    inner.say(on_device ? "linked by time {links.by_time}, by external id {links.by_external_id}; without an operator "
                          "{links.no_operator}, without a launch {links.no_launch}"
                        : "nothing on a device is theirs: their time on the host");
    TableBlock table =
        on_device ? device_columns(by_name, work.device_ns, inner.most()) : host_columns(by_name, inner.most());
    table.note = others_note(by_name, inner.most(), "other operator", "other operators");
    inner.show(std::move(table));
  });
}

}  // namespace aaco::report
