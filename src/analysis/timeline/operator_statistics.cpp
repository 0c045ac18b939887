// SPDX-License-Identifier: MIT
#include "analysis/timeline/operator_statistics.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "analysis/timeline/host_timeline.h"
#include "trace/intervals.h"

namespace aaco {

namespace {

constexpr std::array<EventKind, 1> kOperators = {EventKind::kHostOp};
constexpr size_t kNone = SIZE_MAX;

using Rank = std::pair<uint32_t, int64_t>;  // recording and rank

struct Operator {
  uint64_t event;
  int64_t self_ns = 0;     // launched within it
  int64_t outside_ns = 0;  // launched elsewhere, and linked by the external id
  uint32_t launched = 0;
  StringId shapes = kEmptyString;
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

// Names of arguments by id, to look for them without comparing text.
std::vector<StringId> ids_of(const StringTable& strings, std::span<const std::string_view> texts) {
  std::vector<StringId> ids;
  for (size_t id = 0; id < strings.size(); ++id) {
    if (std::find(texts.begin(), texts.end(), strings[static_cast<StringId>(id)]) != texts.end()) {
      ids.push_back(static_cast<StringId>(id));
    }
  }
  return ids;
}

// Links the slices of one rank to its operators.
class Linker {
 public:
  Linker(const EventTable& events, const LaunchIndex& launches, const HostTimeline& timeline,
         std::vector<Operator>& operators, OperatorWork& work)
      : events_(events), launches_(launches), timeline_(timeline), operators_(operators), work_(work) {}

  void add(const DeviceWork& device) {
    for (const DeviceSlice& slice : device.slices) {
      add(slice);
    }
  }
  // All launches, by thread and time.
  std::vector<Launch> finish() {
    std::sort(found_.begin(), found_.end());
    return std::move(found_);
  }

 private:
  void add(const DeviceSlice& slice);
  size_t by_row(uint64_t row) const;
  size_t by_external_id(int64_t id);

  const EventTable& events_;
  const LaunchIndex& launches_;
  const HostTimeline& timeline_;
  std::vector<Operator>& operators_;  // by row
  OperatorWork& work_;
  std::vector<Launch> found_;
  std::optional<std::vector<std::pair<int64_t, size_t>>> external_ids_;  // and operator; made when it is needed
};

void Linker::add(const DeviceSlice& slice) {
  const int64_t duration_ns = slice.span.end_ns - slice.span.start_ns;
  work_.device_ns = saturating_sum(work_.device_ns, duration_ns);
  const auto call = launches_.launch_of(events_, slice.event);
  if (call) {
    found_.push_back({events_.track[*call], events_.start_ns[*call], duration_ns});
    const uint64_t row = timeline_.at(events_.track[*call], events_.start_ns[*call]);
    if (row != HostSegment::kNone) {
      Operator& its = operators_[by_row(row)];
      its.self_ns = saturating_sum(its.self_ns, duration_ns);
      ++its.launched;
      ++work_.links.by_time;
      return;
    }
  }
  size_t linked = call ? by_external_id(events_.external_id[*call]) : kNone;
  linked = linked == kNone ? by_external_id(events_.external_id[slice.event]) : linked;
  if (linked != kNone) {
    operators_[linked].outside_ns = saturating_sum(operators_[linked].outside_ns, duration_ns);
    ++operators_[linked].launched;
    ++work_.links.by_external_id;
  } else {
    ++(call ? work_.links.no_operator : work_.links.no_launch);
  }
}

size_t Linker::by_row(uint64_t row) const {
  const auto found = std::lower_bound(operators_.begin(), operators_.end(), row,
                                      [](const Operator& a, uint64_t wanted) { return a.event < wanted; });
  return static_cast<size_t>(found - operators_.begin());
}

size_t Linker::by_external_id(int64_t id) {
  if (id == kNoId || id == 0) {  // 0 is written for none
    return kNone;
  }
  if (!external_ids_) {
    external_ids_.emplace();
    for (size_t i = 0; i < operators_.size(); ++i) {
      external_ids_->emplace_back(events_.external_id[operators_[i].event], i);
    }
    std::sort(external_ids_->begin(), external_ids_->end());
  }
  const auto found = std::lower_bound(external_ids_->begin(), external_ids_->end(), std::pair(id, size_t{0}));
  return found != external_ids_->end() && found->first == id ? found->second : kNone;
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
    const auto found = std::lower_bound(launches_.begin(), launches_.end(), Launch{track, time_ns, 0});
    return before_ns_[static_cast<size_t>(found - launches_.begin())];
  }

  std::vector<Launch> launches_;
  std::vector<int64_t> before_ns_;
};

OperatorStatistics statistics_of(const EventTable& events, std::span<const Operator> operators,
                                 const LaunchSums& launched) {
  OperatorStatistics one;
  one.name = events.name[operators.front().event];
  one.count = operators.size();
  std::optional<Span> covered;  // operators of one name may lie in each other: their union
  uint32_t track = 0;
  const auto close = [&] {
    if (covered) {
      one.host_ns = saturating_sum(one.host_ns, covered->end_ns - covered->start_ns);
      one.total_ns = saturating_sum(one.total_ns, launched.within(track, *covered));
    }
  };
  for (const Operator& its : operators) {
    one.launched += its.launched;
    one.self_ns = saturating_sum(one.self_ns, saturating_sum(its.self_ns, its.outside_ns));
    one.total_ns = saturating_sum(one.total_ns, its.outside_ns);
    const Span span{events.start_ns[its.event], events.end_ns(its.event)};
    if (covered && track == events.track[its.event] && span.start_ns <= covered->end_ns) {
      covered->end_ns = std::max(covered->end_ns, span.end_ns);
    } else {
      close();
      covered = span;
      track = events.track[its.event];
    }
  }
  close();
  return one;
}

std::vector<OperatorStatistics> statistics(const EventTable& events, std::vector<Operator>& operators, bool by_shape,
                                           const LaunchSums& launched) {
  const auto group = [&](const Operator& its) {
    return std::pair(events.name[its.event], by_shape ? its.shapes : kEmptyString);
  };
  std::sort(operators.begin(), operators.end(), [&](const Operator& a, const Operator& b) {
    const auto key = [&](const Operator& its) {
      return std::tuple(group(its), events.track[its.event], events.start_ns[its.event], its.event);
    };
    return key(a) < key(b);
  });
  std::vector<OperatorStatistics> all;
  for (size_t first = 0, behind = 0; first < operators.size(); first = behind) {
    while (behind < operators.size() && group(operators[behind]) == group(operators[first])) {
      ++behind;
    }
    all.push_back(statistics_of(events, std::span(operators).subspan(first, behind - first), launched));
    all.back().shapes = group(operators[first]).second;
  }
  std::stable_sort(all.begin(), all.end(), [](const OperatorStatistics& a, const OperatorStatistics& b) {
    return std::tie(a.self_ns, a.total_ns) > std::tie(b.self_ns, b.total_ns);
  });
  return all;
}

StringId shapes_of(const EventTable& events, size_t event, std::span<const StringId> keys) {
  for (const StringId key : keys) {
    const auto found = events.arguments.find(event, key);
    if (found && (found->type == ArgumentType::kJson || found->type == ArgumentType::kText)) {
      return static_cast<StringId>(found->bits);
    }
  }
  return kEmptyString;
}

}  // namespace

std::vector<OperatorWork> operator_statistics(const EventTable& events, const std::vector<DeviceWork>& devices,
                                              const LaunchIndex& launches) {
  static constexpr std::string_view kShapes[] = {"Input Dims", "Input dims"};  // of today, and of 2021
  const std::vector<StringId> shape_keys = ids_of(events.strings, kShapes);
  std::map<Rank, std::vector<Operator>> ranks;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.kind[i] == EventKind::kHostOp && events.shape[i] == EventShape::kSlice) {
      const Track& track = events.tracks[events.track[i]];
      ranks[{track.recording, track.rank}].push_back({i, 0, 0, 0, shapes_of(events, i, shape_keys)});
    }
  }
  std::map<Rank, std::vector<const DeviceWork*>> devices_of;
  for (const DeviceWork& device : devices) {
    devices_of[{device.recording, device.rank}].push_back(&device);
  }
  const HostTimeline timeline(events, kOperators);
  std::vector<OperatorWork> all;
  for (auto& [rank, operators] : ranks) {
    OperatorWork work;
    std::tie(work.recording, work.rank) = rank;
    Linker linker(events, launches, timeline, operators, work);
    for (const DeviceWork* device : devices_of[rank]) {
      linker.add(*device);
    }
    const LaunchSums launched(linker.finish());
    work.by_name = statistics(events, operators, false, launched);
    work.by_shape = statistics(events, operators, true, launched);
    all.push_back(std::move(work));
    operators = {};
  }
  return all;
}

}  // namespace aaco
