// SPDX-License-Identifier: MIT
// What a device communicated, and the ranks of a job side by side.
#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "base/text/characters.h"
#include "report/trace/row_sinks.h"
#include "report/trace/sections.h"
#include "report/trace/values.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr size_t kLongestCollective = 40;

// "world of 8"
std::string group_of(const TableRow& row) {
  return !row.has("group") ? ""
                           : fmt::format("{}{}", shorten(row.text("group"), kLongestCollective),
                                         row.has("group_size") ? fmt::format(" of {}", row.integer("group_size")) : "");
}

std::string verdict_on(const RankClock& clock) {
  switch (clock.state) {
    case ClockState::kReference:
      return std::string("the others are compared with it");
    case ClockState::kAgrees:
      return fmt::format("agrees, within {}", duration_text(clock.error_ns));
    case ClockState::kShifted:
      return fmt::format("moved by {}, right within {}", duration_text(clock.offset_ns), duration_text(clock.error_ns));
    case ClockState::kInconsistent:
      return std::string("fits no offset: it drifts, or these are not the same collectives; taken as it is");
    case ClockState::kUndetermined:
      return std::string("undetermined: which of its collectives are the others' is not known; taken as it is");
    case ClockState::kUnknown:
      break;
  }
  return std::string("shares no collective that tells; taken as it is");
}

const char* why_not_compared(const RankComparison& comparison) {
  switch (comparison.basis) {
    case MatchBasis::kUndetermined:
      return "undetermined: without sequence numbers, several shifts of one rank's order against another's fit";
    case MatchBasis::kNone:
      return "no shift of one rank's order against another's fits their names, sizes and times";
    case MatchBasis::kSequence:
    case MatchBasis::kOrder:
      break;
  }
  return "none of them is in the recordings of all ranks";
}

const char* chance_of(LateVerdict late) {
  static constexpr const char* kWords[] = {"undetermined whether by chance", "chance may explain that",
                                           "more often than chance explains"};
  return kWords[static_cast<size_t>(late)];
}

void outline_clocks(const TraceInput& input, Outline& at) {
  const TableRows clocks = input.rows(rank_clocks_table);
  at.rows("clocks", clocks);
  if (clocks.size() > 1) {
    at.section();
    at.show(shown_rows(
        clocks,
        {{"clock of rank", "rank"},
         {"collectives", "collectives"},
         {.title = "",
          .cell = [&](const TableRow& row) { return text_cell(verdict_on(input.summary.clocks[row.index()])); }}},
        SIZE_MAX));
  }
}

// Who was last, and who waited, only where the ranks could be compared.
void outline_comparison(const RankComparison& comparison, const TableRows& ranks, Outline& at) {
  const bool compared = comparison.compared > 0;
  at.figures(ranks[0], "collective group group_ranks group_size matched_by compared");
  at.aside("of", group_of(ranks[0]));
  at.rows("ranks", ranks, compared ? "rank kernels median_ns last waited_ns" : "rank kernels median_ns");
  at.section();
  if (!compared) {
    at.aside("why", why_not_compared(comparison));
    at.say("{collective} of group {of}: not compared, {why}");
  } else {
    const RankShare& latest = comparison.ranks[comparison.latest];
    at.figures(
        ranks[0],
        "group_median_skew_ns:median_skew_ns group_max_skew_ns:max_skew_ns "
        "group_median_end_spread_ns:median_end_spread_ns group_algorithm_bandwidth_gb_s:algorithm_bandwidth_gb_s "
        "group_bus_bandwidth_gb_s:bus_bandwidth_gb_s");
    at.figure("latest", latest.rank);
    at.figure("late", word_of(comparison.late));
    at.figure("straggler", comparison.late == LateVerdict::kLate ? Json(latest.rank) : Json());
    at.aside("times_last", latest.last);
    at.aside("chance", chance_of(comparison.late));
    at.say(
        fmt::format("{{collective}} of group {{of}}: {}; skew median {{median_skew_ns}}, max {{max_skew_ns}}; ends "
                    "{{median_end_spread_ns}} apart (median)",
                    latest.last == 0 ? "no rank alone begins last in any of {compared}"
                                     : "rank {latest} begins last in {times_last} of {compared} ({chance})"));
  }
  if (comparison.bus_bandwidth) {
    at.say(
        "by the shortest participant: algorithm bandwidth {algorithm_bandwidth_gb_s}, bus bandwidth "
        "{bus_bandwidth_gb_s}");
  }
  at.show(shown_rows(
      ranks,
      {{"rank", "rank"}, {"kernels", "kernels"}, {"median", "median_ns"}, {"last", "last"}, {"waited", "waited_ns"}},
      SIZE_MAX));
}

}  // namespace

void outline_collective_figures(const TraceInput& input, const DeviceSummary& device, Outline& at) {
  at.rows(
      "collectives", input.rows(collectives_table, {device.recording, device.rank, device.device}),
      "collective group group_ranks group_size element_type in_elements out_elements bytes count total_ns median_ns "
      "exposed_ns dependence_proved blocking_ns algorithm_bandwidth_gb_s bus_bandwidth_gb_s");
}

// Those of several devices by time; of one the table has them so.
void outline_collectives(const TraceInput& input, Outline& at) {
  const TableRows collectives = input.rows(collectives_table);
  if (collectives.empty()) {
    return;
  }
  std::vector<TableRow> rows;
  for (size_t i = 0; i < collectives.size(); ++i) {
    rows.push_back(collectives[i]);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const TableRow& a, const TableRow& b) { return a.integer("total_ns") > b.integer("total_ns"); });
  std::vector<ShownColumn> columns = {
      {.title = "collective", .column = "collective", .longest = kLongestCollective},
      {.title = "group", .cell = [](const TableRow& row) { return text_cell(group_of(row)); }},
      {"size", "bytes"},
      {"count", "count"},
      {"total", "total_ns"},
      {"median", "median_ns"},
      {"exposed", "exposed_ns"},
      {.title = "blocking", .column = "blocking_ns", .missing = "not proved"},
      {"algorithm", "algorithm_bandwidth_gb_s"},
      {"bus", "bus_bandwidth_gb_s"}};
  if (input.summary.devices.size() > 1) {
    columns.insert(columns.begin(), {.title = "rank", .column = "rank", .missing = "-"});
  }
  at.section();
  TableBlock table = shown_rows(rows, columns, at.most());
  table.note = others_note(collectives, at.most(), "other kind of collectives", "other kinds of collectives");
  at.show(std::move(table));
}

void outline_ranks(const TraceInput& input, Outline& at) {
  outline_clocks(input, at);
  size_t first = 0;
  at.list("ranks", input.summary.ranks, [&](const RankComparison& comparison, Outline& inner) {
    outline_comparison(comparison, input.rows(rank_comparison_table).part(first, comparison.ranks.size()), inner);
    first += comparison.ranks.size();
  });
}

}  // namespace aaco::report
