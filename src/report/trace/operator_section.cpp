// SPDX-License-Identifier: MIT
#include "report/trace/operator_section.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/text/characters.h"
#include "report/trace/values.h"
#include "trace/intervals.h"

namespace aaco::report {

namespace {

Json statistics_json(const EventTable& events, const std::vector<OperatorStatistics>& all, bool with_shapes) {
  Json list = Json::array();
  for (const OperatorStatistics& one : all) {
    Json entry = {{"name", std::string(events.strings[one.name])},
                  {"count", one.count},
                  {"launched", one.launched},
                  {"self_ns", one.self_ns},
                  {"total_ns", one.total_ns},
                  {"host_ns", one.host_ns},
                  {"host_self_ns", one.host_self_ns}};
    if (with_shapes) {
      entry["input_shapes"] = one.shapes == kEmptyString ? Json() : Json(std::string(events.strings[one.shapes]));
    }
    list.push_back(std::move(entry));
  }
  return list;
}

std::string others_text(const OperatorWork& work, size_t shown) {
  return shown < work.by_name.size() ? fmt::format("{} other operators\n", work.by_name.size() - shown) : "";
}

std::string table_text(const EventTable& events, const OperatorWork& work, size_t most) {
  std::vector<std::vector<std::string>> rows{
      {"operator", "count", "launched", "self", "of device", "total", "on host", "self on host"}};
  const size_t shown = std::min(most, work.by_name.size());
  for (size_t i = 0; i < shown; ++i) {
    const OperatorStatistics& one = work.by_name[i];
    rows.push_back({shorten(events.strings[one.name], kLongestName), std::to_string(one.count),
                    std::to_string(one.launched), duration_text(one.self_ns), share_text(one.self_ns, work.device_ns),
                    duration_text(one.total_ns), duration_text(one.host_ns), duration_text(one.host_self_ns)});
  }
  return format_table(rows) + others_text(work, shown);
}

// Of operators that launched nothing.
std::string host_table_text(const EventTable& events, const OperatorWork& work, size_t most) {
  int64_t all_ns = 0;
  for (const OperatorStatistics& one : work.by_name) {
    all_ns = saturating_sum(all_ns, one.host_self_ns);
  }
  std::vector<std::vector<std::string>> rows{{"operator", "count", "self on host", "of all", "on host", "mean self"}};
  const size_t shown = std::min(most, work.by_name.size());
  for (size_t i = 0; i < shown; ++i) {
    const OperatorStatistics& one = work.by_name[i];
    rows.push_back({shorten(events.strings[one.name], kLongestName), std::to_string(one.count),
                    duration_text(one.host_self_ns), share_text(one.host_self_ns, all_ns), duration_text(one.host_ns),
                    duration_text(one.host_self_ns / static_cast<int64_t>(one.count))});
  }
  return format_table(rows) + others_text(work, shown);
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
                    {"by_name", statistics_json(events, work.by_name, false)},
                    {"by_shape", statistics_json(events, work.by_shape, true)}});
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
