// SPDX-License-Identifier: MIT
#include "report/trace/critical_path_section.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "report/trace/row_sinks.h"
#include "report/trace/values.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr size_t kMostParts = 2'000;  // of a path in JSON

Json shares_json(const PathShares& shares) {
  Json json;
  for (size_t i = 0; i < kPathKinds; ++i) {
    json[std::string(path_kind_name(static_cast<PathKind>(i))) + "_ns"] = shares[i];
  }
  return json;
}

// Longest first. A terminal lists `most`.
TableBlock item_table(const EventTable& events, const CriticalPath& path, size_t most) {
  const int64_t window_ns = path.window.end_ns - path.window.start_ns;
  TableBlock table{.id = "critical-path-items",
                   .columns = {{.key = "kind"},
                               {.key = "name"},
                               {"longest on the path", false, "", kLongestName},
                               {"kind"},
                               {"parts", true, "parts"},
                               {"total", true, "total_ns"},
                               {"of window", true}},
                   .most = most};
  int64_t left_ns = window_ns;
  for (const PathItem& item : path.items) {
    const std::string name(events.strings[item.name]);
    left_ns -= table.rows.size() < most ? item.total_ns : 0;
    table.rows.push_back({text_cell(std::string(path_kind_name(item.kind))), text_cell(name),
                          text_cell(item.name == kEmptyString ? "(nothing recorded)" : name),
                          text_cell(spaced(path_kind_name(item.kind))), amount_cell(item.parts),
                          time_cell(item.total_ns), share_cell(item.total_ns, window_ns)});
  }
  const size_t others = path.items.size() - std::min(most, path.items.size());
  table.others = {{},
                  {},
                  text_cell(counted(others, "other", "others")),
                  {},
                  {},
                  time_cell(left_ns),
                  share_cell(left_ns, window_ns)};
  return table;
}

Json parts_json(const EventTable& events, const CriticalPath& path) {
  int64_t shortest_ns = 0;
  if (path.parts.size() > kMostParts) {
    std::vector<int64_t> lengths;
    for (size_t i = 0; i < path.parts.size(); ++i) {
      lengths.push_back(path.part_ns(i));
    }
    std::nth_element(lengths.begin(), lengths.begin() + (kMostParts - 1), lengths.end(), std::greater<>());
    shortest_ns = lengths[kMostParts - 1];
  }
  TableBlock table{.id = "critical-path-parts",
                   .columns = {{.numeric = true, .key = "start_ns"},
                               {.numeric = true, .key = "duration_ns"},
                               {.key = "kind"},
                               {.key = "name"}}};
  for (size_t i = 0; i < path.parts.size() && table.rows.size() < kMostParts; ++i) {
    if (path.part_ns(i) >= shortest_ns) {
      table.rows.push_back({time_cell(path.parts[i].start_ns), time_cell(path.part_ns(i)),
                            text_cell(std::string(path_kind_name(path.parts[i].kind))),
                            text_cell(std::string(events.strings[path.parts[i].name]))});
    }
  }
  return rows_json(table);
}

// Device, host and what lies between them, of each step; each kind by itself as data.
TableBlock step_table(const EventTable& events, const CriticalPath& path, size_t most) {
  TableBlock table{.id = "critical-path-steps",
                   .columns = {{"step", false, "name", kLongestName},
                               {.numeric = true, .key = "start_ns"},
                               {.numeric = true, .key = "end_ns"}},
                   .most = most};
  for (size_t i = 0; i < kPathKinds; ++i) {
    table.columns.push_back(
        {.numeric = true, .key = fmt::format("kinds.{}_ns", path_kind_name(static_cast<PathKind>(i)))});
  }
  for (const char* title : {"length", "device", "host", "waits and delays", "unexplained"}) {
    table.columns.push_back({title, true});
  }
  for (const PathStep& step : path.steps) {
    const int64_t length_ns = step.span.end_ns - step.span.start_ns;
    const auto share_of = [&](std::initializer_list<PathKind> kinds) {
      int64_t ns = 0;
      for (const PathKind kind : kinds) {
        ns += step.shares[static_cast<size_t>(kind)];
      }
      return share_cell(ns, length_ns);
    };
    std::vector<Cell>& row = table.rows.emplace_back();
    row = {text_cell(std::string(events.strings[step.name])), time_cell(step.span.start_ns),
           time_cell(step.span.end_ns)};
    std::transform(step.shares.begin(), step.shares.end(), std::back_inserter(row), time_cell);
    row.push_back(time_cell(length_ns));
    row.push_back(share_of({PathKind::kComputation, PathKind::kCommunication, PathKind::kCopy}));
    row.push_back(share_of({PathKind::kHostOperator, PathKind::kHostCall, PathKind::kHostRange}));
    row.push_back(share_of({PathKind::kSync, PathKind::kLaunchDelay, PathKind::kTurnaround}));
    row.push_back(share_of({PathKind::kUnexplained}));
  }
  return table;
}

Json path_json(const EventTable& events, const CriticalPath& path) {
  Json ranks = Json::array();
  for (const auto& [recording, rank] : path.ranks) {
    ranks.push_back({{"recording", recording}, {"rank", id_json(rank)}});
  }
  return {{"ranks", std::move(ranks)},
          {"window", {{"start_ns", path.window.start_ns}, {"end_ns", path.window.end_ns}}},
          {"window_ns", path.window.end_ns - path.window.start_ns},
          {"length_ns", path.length_ns},
          {"inferred_waits", path.inferred_waits},
          {"changes_of_rank", path.changes_of_rank},
          {"kinds", shares_json(path.shares)},
          {"items", rows_json(item_table(events, path, SIZE_MAX))},
          {"steps", rows_json(step_table(events, path, SIZE_MAX))},
          {"parts_in_all", path.parts.size()},
          {"parts", parts_json(events, path)}};
}

std::string shares_text(const CriticalPath& path) {
  const int64_t window_ns = path.window.end_ns - path.window.start_ns;
  TableBlock table = share_table("on the path", "of window");
  for (size_t i = 0; i < kPathKinds; ++i) {
    if (path.shares[i] > 0) {
      add_share(table, spaced(path_kind_name(static_cast<PathKind>(i))), path.shares[i], window_ns);
    }
  }
  add_share(table, "window", window_ns, window_ns);
  return rows_text(table);
}

std::string steps_text(const EventTable& events, const CriticalPath& path, size_t most) {
  if (path.steps.empty()) {
    return "";
  }
  const std::string text = rows_text(step_table(events, path, most));
  return most < path.steps.size() ? text + counted(path.steps.size() - most, "other step", "other steps") + "\n" : text;
}

std::string title_of(const EventTable& events, const CriticalPath& path) {
  const auto [recording, rank] = path.ranks.front();
  return path.ranks.size() == 1 ? of_rank("critical path", events, recording, rank)
                                : fmt::format("critical path of {} ranks, from one to another {}", path.ranks.size(),
                                              counted(path.changes_of_rank, "time", "times"));
}

}  // namespace

Json critical_paths_json(const EventTable& events, const TraceSummary& summary) {
  Json list = Json::array();
  for (const CriticalPath& path : summary.critical_paths) {
    list.push_back(path_json(events, path));
  }
  return list;
}

std::string critical_paths_text(const EventTable& events, const TraceSummary& summary, size_t most) {
  std::string text;
  for (const CriticalPath& path : summary.critical_paths) {
    text += fmt::format("\n{}\n{}{}{}", title_of(events, path), shares_text(path),
                        rows_text(item_table(events, path, most)), steps_text(events, path, most));
  }
  return text;
}

}  // namespace aaco::report
