// SPDX-License-Identifier: MIT
#include "report/trace/idle_section.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/format.h"
#include "base/json.h"
#include "report/trace/row_sinks.h"
#include "report/trace/values.h"
#include "report/values.h"

namespace aaco::report {

Json idle_causes_json(const IdleCauses& idle) {
  Json causes;
  for (size_t i = 0; i < kIdleCauses; ++i) {
    causes[std::string(idle_cause_name(static_cast<IdleCause>(i))) + "_ns"] = idle.shares[i].total_ns;
  }
  return causes;
}

TableBlock idle_holder_table(const EventTable& events, const DeviceSummary& device, size_t most) {
  const int64_t idle_ns = device.budget.idle_ns;
  TableBlock table{.id = "idle-holders",
                   .columns = {{.key = "cause"},
                               {.key = "name"},
                               {"idle held by", false, "", kLongestName},
                               {"cause"},
                               {"spans", true, "spans"},
                               {"total", true, "total_ns"},
                               {"of idle", true}},
                   .most = most};
  int64_t left_ns = idle_ns;
  for (const IdleHolder& holder : device.idle.holders) {
    const std::string name(events.strings[holder.name]);
    left_ns -= table.rows.size() < most ? holder.total_ns : 0;
    table.rows.push_back({text_cell(std::string(idle_cause_name(holder.cause))), text_cell(name),
                          text_cell(holder.name == kEmptyString ? "(nothing recorded)" : name),
                          text_cell(spaced(idle_cause_name(holder.cause))), amount_cell(holder.spans),
                          time_cell(holder.total_ns), share_cell(holder.total_ns, idle_ns)});
  }
  const size_t others = device.idle.holders.size() - std::min(most, device.idle.holders.size());
  table.others = {
      {}, {}, text_cell(counted(others, "other", "others")), {}, {}, time_cell(left_ns), share_cell(left_ns, idle_ns)};
  return table;
}

Json launches_json(const LaunchQueue& queue) {
  if (queue.launches == 0) {
    return {{"count", 0}};
  }
  return {{"count", queue.launches},
          {"delay",
           {{"median_ns", queue.median_delay_ns},
            {"p99_ns", queue.p99_delay_ns},
            {"max_ns", queue.max_delay_ns},
            {"negative", queue.negative}}},
          {"queue",
           {{"mean_depth", queue.mean_depth},
            {"max_depth", queue.max_depth},
            {"max_depth_at_ns", queue.max_depth_at_ns},
            {"empty_ns", queue.empty_ns},
            {"timeline", timeline_json(queue.timeline)}}}};
}

std::string idle_text(const EventTable& events, const DeviceSummary& device, size_t most) {
  const int64_t idle_ns = device.budget.idle_ns;
  if (idle_ns == 0) {
    return "";
  }
  TableBlock table = share_table("idle because", "of idle");
  for (size_t i = 0; i < kIdleCauses; ++i) {
    if (const int64_t ns = device.idle.shares[i].total_ns; ns > 0) {
      add_share(table, spaced(idle_cause_name(static_cast<IdleCause>(i))), ns, idle_ns);
    }
  }
  return rows_text(table) + rows_text(idle_holder_table(events, device, most));
}

std::string launches_text(const LaunchQueue& queue, const Span& window) {
  if (queue.launches == 0) {
    return "launches  none recorded\n";
  }
  return fmt::format("launches {}: delay median {}, p99 {}, max {}; queue depth mean {:.1f}, max {}, empty for {}\n",
                     queue.launches, duration_text(queue.median_delay_ns), duration_text(queue.p99_delay_ns),
                     duration_text(queue.max_delay_ns), queue.mean_depth, queue.max_depth,
                     share_text(queue.empty_ns, window.end_ns - window.start_ns));
}

}  // namespace aaco::report
