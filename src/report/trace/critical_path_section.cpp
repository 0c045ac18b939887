// SPDX-License-Identifier: MIT
// What determined how long a trace took.
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <initializer_list>
#include <vector>

#include "base/format.h"
#include "report/trace/row_sinks.h"
#include "report/trace/sections.h"
#include "report/trace/values.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr size_t kMostParts = 2'000;  // of a path in JSON

void outline_shares(const CriticalPath& path, int64_t window_ns, Outline& at) {
  std::vector<Outline::Share> shares;
  for (size_t i = 0; i < kPathKinds; ++i) {
    const char* const kind = word_of(static_cast<PathKind>(i));
    at.figure(fmt::format("kinds.{}_ns", kind), path.shares[i], "ns");
    if (path.shares[i] > 0) {
      shares.push_back({people_words(kind), path.shares[i]});
    }
  }
  shares.push_back({"window", window_ns});
  at.shares("on the path", "of window", shares, window_ns);
}

// The longest, in order of time.
void outline_parts(const EventTable& events, const CriticalPath& path, Outline& at) {
  int64_t shortest_ns = 0;
  if (path.parts.size() > kMostParts) {
    std::vector<int64_t> lengths;
    for (size_t i = 0; i < path.parts.size(); ++i) {
      lengths.push_back(path.part_ns(i));
    }
    std::nth_element(lengths.begin(), lengths.begin() + (kMostParts - 1), lengths.end(), std::greater<>());
    shortest_ns = lengths[kMostParts - 1];
  }
  std::vector<size_t> parts;
  for (size_t i = 0; i < path.parts.size() && parts.size() < kMostParts; ++i) {
    if (path.part_ns(i) >= shortest_ns) {
      parts.push_back(i);
    }
  }
  at.figure("parts_in_all", path.parts.size());
  at.list("parts", parts, [&](size_t i, Outline& inner) {
    const PathPart part = path.parts[i];
    inner.figure("start_ns", part.start_ns);
    inner.figure("duration_ns", path.part_ns(i));
    inner.figure("kind", word_of(part.kind));
    inner.figure("name", events.strings[part.name]);
  });
}

// Device, host and what lies between them, of each step; each kind by itself as data.
TableBlock step_table(const TableRows& kinds, size_t most) {
  TableBlock table;
  for (const char* title : {"step", "length", "device", "host", "waits and delays", "unexplained"}) {
    table.columns.push_back({.title = title, .longest = table.columns.empty() ? kLongestName : 0});
  }
  for (size_t first = 0; first < kinds.size() && table.rows.size() < most; first += kPathKinds) {
    const TableRow step = kinds[first];
    const int64_t length_ns = step.integer("end_ns") - step.integer("start_ns");
    const auto share = [&](std::initializer_list<PathKind> columns) {
      int64_t ns = 0;
      for (const PathKind kind : columns) {
        ns += kinds[first + static_cast<size_t>(kind)].integer("total_ns");
      }
      return share_cell(ns, length_ns);
    };
    table.rows.push_back({text_cell(step.text("step")), time_cell(length_ns),
                          share({PathKind::kComputation, PathKind::kCommunication, PathKind::kCopy}),
                          share({PathKind::kHostOperator, PathKind::kHostCall, PathKind::kHostRange}),
                          share({PathKind::kSync, PathKind::kLaunchDelay, PathKind::kTurnaround}),
                          share({PathKind::kUnexplained})});
  }
  if (const size_t steps = kinds.size() / kPathKinds; steps > most) {
    table.note = counted(steps - most, "other step", "other steps");
  }
  return table;
}

void outline_steps(const CriticalPath& path, const TableRows& kinds, Outline& at) {
  size_t first = 0;
  if (at.is_data()) {
    at.list("steps", path.steps, [&](const PathStep&, Outline& inner) {
      inner.figures(kinds[first], "step:name start_ns end_ns");
      for (size_t i = 0; i < kPathKinds; ++i, ++first) {
        inner.figures(kinds[first], fmt::format("total_ns:kinds.{}_ns", kinds[first].text("kind")));
      }
    });
  }
  at.show(step_table(kinds, at.most()));
}

std::string title_of(const EventTable& events, const CriticalPath& path) {
  const auto [recording, rank] = path.ranks.front();
  return path.ranks.size() == 1 ? of_rank("critical path", events, recording, rank)
                                : fmt::format("critical path of {} ranks, from one to another {}", path.ranks.size(),
                                              counted(path.changes_of_rank, "time", "times"));
}

}  // namespace

void outline_critical_paths(const TraceInput& input, Outline& at) {
  int64_t index = 0;
  at.list("critical_paths", input.summary.critical_paths, [&](const CriticalPath& path, Outline& inner) {
    inner.section(title_of(input.events, path));
    inner.list("ranks", path.ranks, [](const auto& rank, Outline& outline) {
      outline.figure("recording", rank.first);
      outline.figure("rank", known(rank.second));
    });
    const int64_t window_ns = path.window.end_ns - path.window.start_ns;
    inner.figure("window.start_ns", path.window.start_ns, "ns");
    inner.figure("window.end_ns", path.window.end_ns, "ns");
    inner.figure("window_ns", window_ns, "ns");
    inner.figure("length_ns", path.length_ns, "ns");
    inner.figure("inferred_waits", path.inferred_waits);
    inner.figure("changes_of_rank", path.changes_of_rank);
    outline_shares(path, window_ns, inner);
    const TableRows items = input.rows(critical_path_items_table, {index});
    inner.rows("items", items, "kind name parts total_ns");
    const Whole window{"total_ns", window_ns};
    inner.section();
    inner.show(shown_rows(
        items,
        {{.title = "longest on the path", .column = "name", .missing = "(nothing recorded)", .kernels = true},
         {.title = "kind", .cell = spaced_cell("kind")},
         {"parts", "parts"},
         {"total", "total_ns"},
         {.title = "of window", .column = "total_ns", .share = true}},
        inner.most(), window));
    outline_steps(path, input.rows(critical_path_steps_table, {index}), inner);
    if (inner.is_data()) {
      outline_parts(input.events, path, inner);
    }
    ++index;
  });
}

}  // namespace aaco::report
