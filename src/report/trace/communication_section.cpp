// SPDX-License-Identifier: MIT
#include "report/trace/communication_section.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/text/characters.h"
#include "report/trace/values.h"

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

std::string clocks_text(const TraceSummary& summary) {
  if (summary.clocks.size() < 2) {
    return "";
  }
  const auto said = [](const RankClock& clock) {
    switch (clock.state) {
      case ClockState::kReference:
        return std::string("the others are compared with it");
      case ClockState::kAgrees:
        return fmt::format("agrees, within {}", duration_text(clock.error_ns));
      case ClockState::kShifted:
        return fmt::format("moved by {}, right within {}", duration_text(clock.offset_ns),
                           duration_text(clock.error_ns));
      case ClockState::kInconsistent:
        return std::string("fits no offset: it drifts, or these are not the same collectives; taken as it is");
      case ClockState::kUnknown:
        break;
    }
    return std::string("shares no collective that tells; taken as it is");
  };
  std::vector<std::vector<std::string>> rows{{"clock of rank", "collectives", ""}};
  for (const RankClock& clock : summary.clocks) {
    rows.push_back({std::to_string(clock.rank), std::to_string(clock.collectives), said(clock)});
  }
  return "\n" + format_table(rows);
}

}  // namespace

Json collectives_json(const EventTable& events, const TraceSummary& summary, const DeviceSummary& device) {
  Json list = Json::array();
  for (const CollectiveStatistics& one : device.collectives) {
    const CollectiveKind& kind = summary.communication.kinds[one.kind];
    list.push_back({{"collective", std::string(events.strings[kind.name])},
                    {"group", text_json(events, kind.group)},
                    {"group_ranks", text_json(events, kind.group_ranks)},
                    {"group_size", id_json(kind.group_size)},
                    {"element_type", text_json(events, kind.element)},
                    {"in_elements", id_json(kind.in_elements)},
                    {"out_elements", id_json(kind.out_elements)},
                    {"bytes", optional_json(one.bytes)},
                    {"count", one.count},
                    {"total_ns", one.total_ns},
                    {"median_ns", one.median_ns},
                    {"exposed_ns", one.exposed_ns},
                    {"dependence_proved", one.proved},
                    {"blocking_ns", one.proved > 0 ? Json(one.blocking_ns) : Json()},
                    {"algorithm_bandwidth_gb_s", optional_json(one.algorithm_bandwidth)},
                    {"bus_bandwidth_gb_s", optional_json(one.bus_bandwidth)}});
  }
  return list;
}

Json clocks_json(const TraceSummary& summary) {
  Json list = Json::array();
  for (const RankClock& clock : summary.clocks) {
    list.push_back({{"rank", clock.rank},
                    {"state", clock_state_name(clock.state)},
                    {"offset_ns", clock.offset_ns},
                    {"error_ns", clock.bounded() ? Json(clock.error_ns) : Json()},
                    {"collectives", clock.collectives}});
  }
  return list;
}

Json ranks_json(const EventTable& events, const TraceSummary& summary) {
  Json list = Json::array();
  for (const RankComparison& one : summary.ranks) {
    Json ranks = Json::array();
    for (const RankShare& rank : one.ranks) {
      Json share = {{"rank", rank.rank}, {"kernels", rank.kernels}, {"median_ns", rank.median_ns}};
      if (one.compared > 0) {
        share["last"] = rank.last;
        share["waited_ns"] = rank.waited_ns;
      }
      ranks.push_back(std::move(share));
    }
    Json entry = {{"collective", std::string(events.strings[one.name])},
                  {"group", text_json(events, one.group)},
                  {"group_ranks", text_json(events, one.group_ranks)},
                  {"group_size", id_json(one.group_size)},
                  {"compared", one.compared},
                  {"ranks", std::move(ranks)}};
    if (one.compared > 0) {
      entry.update({{"median_skew_ns", one.median_skew_ns},
                    {"max_skew_ns", one.max_skew_ns},
                    {"median_end_spread_ns", one.median_end_spread_ns},
                    {"straggler", one.ranks[one.straggler].rank},
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
  std::vector<std::vector<std::string>> rows{
      {"collective", "group", "size", "count", "total", "median", "exposed", "blocking", "algorithm", "bus"}};
  const size_t shown = std::min(most, device.collectives.size());
  for (size_t i = 0; i < shown; ++i) {
    const CollectiveStatistics& one = device.collectives[i];
    const CollectiveKind& kind = summary.communication.kinds[one.kind];
    rows.push_back({shorten(events.strings[kind.name], kLongestCollective),
                    group_text(events, kind.group, kind.group_size),
                    one.bytes ? format_si(static_cast<double>(*one.bytes), "B") : "", std::to_string(one.count),
                    duration_text(one.total_ns), duration_text(one.median_ns), duration_text(one.exposed_ns),
                    one.proved > 0 ? duration_text(one.blocking_ns) : "not proved",
                    bandwidth_text(one.algorithm_bandwidth), bandwidth_text(one.bus_bandwidth)});
  }
  std::string text = format_table(rows);
  if (shown < device.collectives.size()) {
    text += fmt::format("{} other kinds of collectives\n", device.collectives.size() - shown);
  }
  return text;
}

std::string ranks_text(const EventTable& events, const TraceSummary& summary) {
  std::string text = clocks_text(summary);
  for (const RankComparison& one : summary.ranks) {
    text += fmt::format("\n{} of group {}: ", printable(events.strings[one.name]),
                        group_text(events, one.group, one.group_size));
    if (one.compared == 0) {
      text += "not compared, the ranks have different numbers of it\n";
    } else {
      const RankShare& straggler = one.ranks[one.straggler];
      text += fmt::format("rank {} begins last in {} of {}; skew median {}, max {}; ends {} apart (median)\n",
                          straggler.rank, straggler.last, one.compared, duration_text(one.median_skew_ns),
                          duration_text(one.max_skew_ns), duration_text(one.median_end_spread_ns));
    }
    if (one.bus_bandwidth) {
      text += fmt::format("by the shortest participant: algorithm bandwidth {}, bus bandwidth {}\n",
                          bandwidth_text(one.algorithm_bandwidth), bandwidth_text(one.bus_bandwidth));
    }
    std::vector<std::vector<std::string>> rows{{"rank", "kernels", "median", "last", "waited"}};
    for (const RankShare& rank : one.ranks) {
      rows.push_back({std::to_string(rank.rank), std::to_string(rank.kernels), duration_text(rank.median_ns),
                      one.compared > 0 ? std::to_string(rank.last) : "",
                      one.compared > 0 ? duration_text(rank.waited_ns) : ""});
    }
    text += format_table(rows);
  }
  return text;
}

}  // namespace aaco::report
