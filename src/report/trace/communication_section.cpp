// SPDX-License-Identifier: MIT
#include "report/trace/communication_section.h"

#include <fmt/format.h>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/text/characters.h"
#include "report/trace/row_sinks.h"
#include "report/trace/values.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr size_t kLongestCollective = 40;

template <class T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json text_json(const EventTable& events, StringId id) {
  return id == kEmptyString ? Json() : Json(std::string(events.strings[id]));
}

std::string bandwidth_text(const std::optional<double>& bytes_per_ns) {
  return bytes_per_ns ? format_si(*bytes_per_ns * 1e9, "B/s") : "";
}

std::string group_text(const EventTable& events, StringId group, int64_t size) {
  return group == kEmptyString ? ""
                               : fmt::format("{}{}", shorten(events.strings[group], kLongestCollective),
                                             size == kNoId ? "" : fmt::format(" of {}", size));
}

std::string said_of(const RankClock& clock) {
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

TableBlock clock_table(const TraceSummary& summary) {
  TableBlock table{.id = "clocks",
                   .columns = {{"clock of rank", true, "rank"},
                               {.key = "state"},
                               {.numeric = true, .key = "offset_ns"},
                               {.numeric = true, .key = "error_ns"},
                               {"collectives", true, "collectives"},
                               {}}};
  for (const RankClock& clock : summary.clocks) {
    table.rows.push_back({count_cell(clock.rank), text_cell(clock_state_name(clock.state)), time_cell(clock.offset_ns),
                          clock.bounded() ? time_cell(clock.error_ns) : Cell(), amount_cell(clock.collectives),
                          text_cell(said_of(clock))});
  }
  return table;
}

Cell bytes_cell(const std::optional<int64_t>& bytes) {
  return bytes ? Cell{.number = Number{*bytes, "bytes"}} : Cell();
}

// In bytes per nanosecond, as data has it.
Cell bandwidth_data(const std::optional<double>& bytes_per_ns) {
  return bytes_per_ns ? number_cell(*bytes_per_ns, "GB/s") : Cell();
}

Cell bandwidth_cell(const std::optional<double>& bytes_per_ns) {
  return bytes_per_ns ? number_cell(*bytes_per_ns * 1e9, "bytes/s") : Cell();
}

std::vector<Column> collective_columns() {
  return {{"collective", false, "collective", kLongestCollective},
          {"group"},
          {.key = "group"},
          {.key = "group_ranks"},
          {.numeric = true, .key = "group_size"},
          {.key = "element_type"},
          {.numeric = true, .key = "in_elements"},
          {.numeric = true, .key = "out_elements"},
          {"size", true, "bytes"},
          {"count", true, "count"},
          {"total", true, "total_ns"},
          {"median", true, "median_ns"},
          {"exposed", true, "exposed_ns"},
          {.numeric = true, .key = "dependence_proved"},
          {"blocking", true, "blocking_ns"},
          {"algorithm", true},
          {"bus", true},
          {.numeric = true, .key = "algorithm_bandwidth_gb_s"},
          {.numeric = true, .key = "bus_bandwidth_gb_s"}};
}

TableBlock collective_table(const EventTable& events, const TraceSummary& summary, const DeviceSummary& device,
                            size_t most) {
  TableBlock table{.id = "collectives", .columns = collective_columns(), .most = most};
  for (const CollectiveStatistics& one : device.collectives) {
    const CollectiveKind& kind = summary.communication.kinds[one.kind];
    table.rows.push_back(
        {text_cell(std::string(events.strings[kind.name])), text_cell(group_text(events, kind.group, kind.group_size)),
         words_cell(events, kind.group), words_cell(events, kind.group_ranks), id_cell(kind.group_size),
         words_cell(events, kind.element), id_cell(kind.in_elements), id_cell(kind.out_elements), bytes_cell(one.bytes),
         amount_cell(one.count), time_cell(one.total_ns), time_cell(one.median_ns), time_cell(one.exposed_ns),
         amount_cell(one.proved), one.proved > 0 ? time_cell(one.blocking_ns) : missing_cell("not proved"),
         bandwidth_cell(one.algorithm_bandwidth), bandwidth_cell(one.bus_bandwidth),
         bandwidth_data(one.algorithm_bandwidth), bandwidth_data(one.bus_bandwidth)});
  }
  return table;
}

const char* why_not_compared(const RankComparison& one) {
  switch (one.basis) {
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

std::string who_is_last(const RankComparison& one) {
  const RankShare& latest = one.ranks[one.latest];
  if (latest.last == 0) {
    return fmt::format("no rank alone begins last in any of {}", one.compared);
  }
  static constexpr const char* kSaid[] = {"undetermined whether by chance", "chance may explain that",
                                          "more often than chance explains"};
  return fmt::format("rank {} begins last in {} of {} ({})", latest.rank, latest.last, one.compared,
                     kSaid[static_cast<size_t>(one.late)]);
}

// Who was last, and who waited, only where the ranks could be compared.
TableBlock rank_table(const RankComparison& one) {
  const bool compared = one.compared > 0;
  TableBlock table{.id = "ranks",
                   .columns = {{"rank", true, "rank"},
                               {"kernels", true, "kernels"},
                               {"median", true, "median_ns"},
                               {"last", true, compared ? "last" : ""},
                               {"waited", true, compared ? "waited_ns" : ""}}};
  for (const RankShare& rank : one.ranks) {
    table.rows.push_back({count_cell(rank.rank), amount_cell(rank.kernels), time_cell(rank.median_ns),
                          compared ? amount_cell(rank.last) : Cell(), compared ? time_cell(rank.waited_ns) : Cell()});
  }
  return table;
}

}  // namespace

Json collectives_json(const EventTable& events, const TraceSummary& summary, const DeviceSummary& device) {
  return rows_json(collective_table(events, summary, device, SIZE_MAX));
}

Json clocks_json(const TraceSummary& summary) { return rows_json(clock_table(summary)); }

Json ranks_json(const EventTable& events, const TraceSummary& summary) {
  Json list = Json::array();
  for (const RankComparison& one : summary.ranks) {
    Json entry = {{"collective", std::string(events.strings[one.name])},
                  {"group", text_json(events, one.group)},
                  {"group_ranks", text_json(events, one.group_ranks)},
                  {"group_size", id_json(one.group_size)},
                  {"matched_by", match_basis_name(one.basis)},
                  {"compared", one.compared},
                  {"ranks", rows_json(rank_table(one))}};
    if (one.compared > 0) {
      entry.update({{"median_skew_ns", one.median_skew_ns},
                    {"max_skew_ns", one.max_skew_ns},
                    {"median_end_spread_ns", one.median_end_spread_ns},
                    {"latest", one.ranks[one.latest].rank},
                    {"late", late_verdict_name(one.late)},
                    {"straggler", one.late == LateVerdict::kLate ? Json(one.ranks[one.latest].rank) : Json()},
                    {"algorithm_bandwidth_gb_s", optional_json(one.algorithm_bandwidth)},
                    {"bus_bandwidth_gb_s", optional_json(one.bus_bandwidth)}});
    }
    list.push_back(std::move(entry));
  }
  return list;
}

std::string collectives_text(const EventTable& events, const TraceSummary& summary, const DeviceSummary& device,
                             size_t most) {
  if (device.collectives.empty()) {
    return "";
  }
  std::string text = rows_text(collective_table(events, summary, device, most));
  if (most < device.collectives.size()) {
    text += fmt::format("{} other kinds of collectives\n", device.collectives.size() - most);
  }
  return text;
}

std::string ranks_text(const EventTable& events, const TraceSummary& summary) {
  std::string text = summary.clocks.size() < 2 ? "" : "\n" + rows_text(clock_table(summary));
  for (const RankComparison& one : summary.ranks) {
    text += fmt::format("\n{} of group {}: ", printable(events.strings[one.name]),
                        group_text(events, one.group, one.group_size));
    if (one.compared == 0) {
      text += fmt::format("not compared, {}\n", why_not_compared(one));
    } else {
      text += fmt::format("{}; skew median {}, max {}; ends {} apart (median)\n", who_is_last(one),
                          duration_text(one.median_skew_ns), duration_text(one.max_skew_ns),
                          duration_text(one.median_end_spread_ns));
    }
    if (one.bus_bandwidth) {
      text += fmt::format("by the shortest participant: algorithm bandwidth {}, bus bandwidth {}\n",
                          bandwidth_text(one.algorithm_bandwidth), bandwidth_text(one.bus_bandwidth));
    }
    text += rows_text(rank_table(one));
  }
  return text;
}

}  // namespace aaco::report
