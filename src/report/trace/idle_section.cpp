// SPDX-License-Identifier: MIT
#include "report/trace/idle_section.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "base/characters.h"
#include "base/format.h"
#include "base/json.h"
#include "report/trace/values.h"

namespace aaco::report {

Json idle_causes_json(const IdleCauses& idle) {
  Json causes;
  for (size_t i = 0; i < kIdleCauses; ++i) {
    causes[std::string(idle_cause_name(static_cast<IdleCause>(i))) + "_ns"] = idle.shares[i].total_ns;
  }
  return causes;
}

Json idle_holders_json(const EventTable& events, const IdleCauses& idle) {
  Json list = Json::array();
  for (const IdleHolder& holder : idle.holders) {
    list.push_back({{"cause", idle_cause_name(holder.cause)},
                    {"name", std::string(events.strings[holder.name])},
                    {"spans", holder.spans},
                    {"total_ns", holder.total_ns}});
  }
  return list;
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
  std::vector<std::vector<std::string>> rows{{"idle because", "", "of idle"}};
  for (size_t i = 0; i < kIdleCauses; ++i) {
    if (const int64_t ns = device.idle.shares[i].total_ns; ns > 0) {
      rows.push_back({spaced(idle_cause_name(static_cast<IdleCause>(i))), duration_text(ns), share_text(ns, idle_ns)});
    }
  }
  std::vector<std::vector<std::string>> held{{"idle held by", "cause", "spans", "total", "of idle"}};
  const size_t shown = std::min(most, device.idle.holders.size());
  int64_t shown_ns = 0;
  for (size_t i = 0; i < shown; ++i) {
    const IdleHolder& holder = device.idle.holders[i];
    shown_ns += holder.total_ns;
    held.push_back(
        {holder.name == kEmptyString ? "(nothing recorded)" : shorten(events.strings[holder.name], kLongestName),
         spaced(idle_cause_name(holder.cause)), std::to_string(holder.spans), duration_text(holder.total_ns),
         share_text(holder.total_ns, idle_ns)});
  }
  if (shown < device.idle.holders.size()) {
    held.push_back({fmt::format("{} others", device.idle.holders.size() - shown), "", "",
                    duration_text(idle_ns - shown_ns), share_text(idle_ns - shown_ns, idle_ns)});
  }
  return format_table(rows) + format_table(held);
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
