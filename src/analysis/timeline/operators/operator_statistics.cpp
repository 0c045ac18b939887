// SPDX-License-Identifier: MIT
#include "analysis/timeline/operators/operator_statistics.h"

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/timeline/lookup/row_groups.h"
#include "analysis/timeline/operators/operator_key.h"
#include "record/intervals.h"

namespace aaco {

namespace {

// Of each of a rank, by its place there: traces of millions are bounded in memory by the size of this.
struct Operator {
  StringId name = kEmptyString;
  StringId shapes = kEmptyString;
  uint32_t launched = 0;
  uint32_t group = 0;
  int64_t self_ns = 0;     // launched within it
  int64_t outside_ns = 0;  // launched elsewhere, and linked by the external id
};

// Something on the device, where and when its launching call began.
struct Launch {
  uint32_t track;
  int64_t start_ns;
  int64_t device_ns;
};

bool operator<(const Launch& a, const Launch& b) {
  return std::tie(a.track, a.start_ns) < std::tie(b.track, b.start_ns);
}

// The device time of what was launched from a thread within a span.
class LaunchSums {
 public:
  explicit LaunchSums(std::vector<Launch> launches) : launches_(std::move(launches)) {
    before_ns_.push_back(0);
    for (const Launch& launch : launches_) {
      before_ns_.push_back(saturating_sum(before_ns_.back(), launch.device_ns));
    }
  }
  int64_t within(uint32_t track, const Span& span) const {
    return before(track, span.end_ns) - before(track, span.start_ns);
  }

 private:
  int64_t before(uint32_t track, int64_t time_ns) const {
    const auto launch = std::lower_bound(launches_.begin(), launches_.end(), Launch{track, time_ns, 0});
    return before_ns_[static_cast<size_t>(launch - launches_.begin())];
  }

  std::vector<Launch> launches_;
  std::vector<int64_t> before_ns_;
};

// Of those that are `chosen`, by thread and time.
OperatorStatistics statistics_of(const EventTable& events, const RankOperators& rank,
                                 std::span<const Operator> operators, std::span<const uint32_t> chosen,
                                 const LaunchSums& launched) {
  OperatorStatistics statistics;
  statistics.name = operators[chosen.front()].name;
  statistics.count = chosen.size();
  std::optional<Span> covered;  // operators of one name may lie in each other: their union
  uint32_t track = 0;
  const auto close = [&] {
    if (covered) {
      statistics.host_ns = saturating_sum(statistics.host_ns, covered->end_ns - covered->start_ns);
      statistics.total_ns = saturating_sum(statistics.total_ns, launched.within(track, *covered));
    }
  };
  for (const uint32_t index : chosen) {
    const Operator& call = operators[index];
    statistics.launched += call.launched;
    statistics.host_self_ns = saturating_sum(statistics.host_self_ns, rank.host_self_ns[index]);
    statistics.self_ns = saturating_sum(statistics.self_ns, saturating_sum(call.self_ns, call.outside_ns));
    statistics.total_ns = saturating_sum(statistics.total_ns, call.outside_ns);
    const EventRow event = rank.operators[index];
    const Span span{events.start_ns[event], events.end_ns(event)};
    if (covered && track == events.track[event] && span.start_ns <= covered->end_ns) {
      covered->end_ns = std::max(covered->end_ns, span.end_ns);
    } else {
      close();
      covered = span;
      track = events.track[event];
    }
  }
  close();
  return statistics;
}

// Names, or names and shapes, are told apart by a number; those of all operators are not sorted: there are few.
std::vector<OperatorStatistics> statistics(const EventTable& events, const RankOperators& rank,
                                           std::span<Operator> operators, bool by_shape, const LaunchSums& launched) {
  std::vector<std::pair<uint64_t, uint32_t>> keys;
  {
    std::unordered_map<uint64_t, uint32_t> groups;
    for (Operator& call : operators) {
      const uint64_t key = uint64_t{call.name} << 32 | (by_shape ? call.shapes : kEmptyString);
      call.group = groups.try_emplace(key, static_cast<uint32_t>(groups.size())).first->second;
    }
    keys.assign(groups.begin(), groups.end());
  }
  std::sort(keys.begin(), keys.end());
  RowGroups members(operators.size(), keys.size(), [&](size_t i) { return operators[i].group; });
  members.sort([&](uint32_t a, uint32_t b) {
    const auto place = [&](uint32_t index) {
      const EventRow event = rank.operators[index];
      return std::tuple(events.track[event], events.start_ns[event], event);
    };
    return place(a) < place(b);
  });
  std::vector<OperatorStatistics> all;
  all.reserve(keys.size());
  for (const auto& [key, group] : keys) {
    all.push_back(statistics_of(events, rank, operators, members.group(group), launched));
    all.back().shapes = static_cast<StringId>(key);
  }
  std::sort(all.begin(), all.end(), [](const OperatorStatistics& a, const OperatorStatistics& b) {
    return std::tie(b.self_ns, b.total_ns, b.host_self_ns, a.name, a.shapes) <
           std::tie(a.self_ns, a.total_ns, a.host_self_ns, b.name, b.shapes);
  });
  return all;
}

// Puts each slice down to its operator; all launches, by thread and time.
std::vector<Launch> add_slices(const EventTable& events, const RankOperators& rank, std::vector<Operator>& operators,
                               OperatorWork& work) {
  std::vector<Launch> launches;
  launches.reserve(rank.slices.size());
  for (const LinkedSlice& slice : rank.slices) {
    const int64_t duration_ns = events.duration_ns[slice.event];
    work.device_ns = saturating_sum(work.device_ns, duration_ns);
    if (slice.call != kNoEvent) {
      launches.push_back({events.track[slice.call], events.start_ns[slice.call], duration_ns});
    }
    switch (slice.link) {
      case OperatorLink::kByTime:
        ++work.links.by_time;
        break;
      case OperatorLink::kByExternalId:
        ++work.links.by_external_id;
        break;
      case OperatorLink::kNoOperator:
        ++work.links.no_operator;
        break;
      case OperatorLink::kNoLaunch:
        ++work.links.no_launch;
        break;
    }
    if (slice.op == kNoEvent) {
      continue;
    }
    const auto row = std::lower_bound(rank.operators.begin(), rank.operators.end(), slice.op);
    Operator& call = operators[static_cast<size_t>(row - rank.operators.begin())];
    int64_t& sum_ns = slice.link == OperatorLink::kByTime ? call.self_ns : call.outside_ns;
    sum_ns = saturating_sum(sum_ns, duration_ns);
    ++call.launched;
  }
  std::sort(launches.begin(), launches.end());
  return launches;
}

}  // namespace

std::vector<OperatorWork> operator_statistics(const EventTable& events, const std::vector<RankOperators>& ranks) {
  const OperatorKeys keys(events.strings);
  std::vector<OperatorWork> all;
  for (const RankOperators& rank : ranks) {
    OperatorWork work;
    work.recording = rank.recording;
    work.rank = rank.rank;
    std::vector<Operator> operators;
    operators.reserve(rank.operators.size());
    for (const EventRow op : rank.operators) {
      operators.push_back({.name = keys.name_of(events, op), .shapes = keys.dims_of(events, op)});
    }
    const LaunchSums launched(add_slices(events, rank, operators, work));
    work.by_name = statistics(events, rank, operators, false, launched);
    work.by_shape = statistics(events, rank, operators, true, launched);
    all.push_back(std::move(work));
  }
  return all;
}

}  // namespace aaco
