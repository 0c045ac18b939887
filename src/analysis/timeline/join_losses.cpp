// SPDX-License-Identifier: MIT
#include "analysis/timeline/join_losses.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/timeline/lookup/row_groups.h"
#include "analysis/timeline/names/work_names.h"
#include "analysis/timeline/stream_dependencies.h"
#include "analysis/timeline/unrecorded_launches.h"
#include "base/format.h"

namespace aaco {

namespace {

std::string name_of(const EventTable& events, size_t event) {
  return fmt::format("\"{}\" at {} ns", events.strings[events.name[event]], events.start_ns[event]);
}

}  // namespace

uint64_t count_overlaps(const EventTable& events, const DeviceWork& work, std::span<const uint32_t> order,
                        LossTable& losses) {
  uint64_t overlaps = 0;
  int64_t stream = kNoId;
  int64_t busy_until_ns = 0;
  for (const uint32_t i : order) {
    const EventRow event = work.slices[i].event;
    const int64_t its_stream = events.tracks[events.track[event]].stream;
    if (its_stream == kNoId) {
      continue;
    }
    if (its_stream != stream) {
      stream = its_stream;
      busy_until_ns = events.end_ns(event);
      continue;
    }
    if (events.start_ns[event] < busy_until_ns) {
      ++overlaps;
      losses.add(Loss::kOverlap, [&] { return name_of(events, event); });
    }
    busy_until_ns = std::max(busy_until_ns, events.end_ns(event));
  }
  return overlaps;
}

UnlinkedSlices count_unlinked(const EventTable& events, const DeviceWork& work, const LaunchIndex& launches,
                              LossTable& losses) {
  UnlinkedSlices unlinked;
  const auto add = [&](Loss loss, EventRow event, uint64_t& count, const auto& example) {
    ++count;
    losses.add(loss, example);
    losses.add_device_time(loss, events.duration_ns[event]);
  };
  for (const DeviceSlice& slice : work.slices) {
    const auto name = [&] { return name_of(events, slice.event); };
    switch (slice.link) {
      case LaunchLink::kLinked:
        break;
      case LaunchLink::kNoCall:
        if (!(slice.work == WorkClass::kCopy && is_migration(events.strings[events.name[slice.event]]))) {
          add(Loss::kNoLaunch, slice.event, unlinked.no_call, name);
        }
        break;
      case LaunchLink::kAmbiguous:
        add(Loss::kAmbiguousLaunch, slice.event, unlinked.ambiguous, name);
        break;
      case LaunchLink::kBeforeCall:
        add(Loss::kBeforeLaunch, slice.event, unlinked.before_call, [&] {
          const EventRow call = launches.launch_of(slice.event).call;
          return fmt::format("{}, {} before its call starts", name(),
                             format_duration_ns(static_cast<double>(events.start_ns[call]) -
                                                static_cast<double>(events.start_ns[slice.event])));
        });
        break;
    }
  }
  return unlinked;
}

std::vector<uint64_t> count_unrecorded_replays(const EventTable& events, const std::vector<DeviceWork>& devices,
                                               const LaunchIndex& launches, LossTable& losses) {
  std::vector<uint64_t> counts(devices.size());
  std::vector<bool> launches_graph(events.strings.size());  // by name
  for (size_t name = 0; name < launches_graph.size(); ++name) {
    launches_graph[name] = events.strings[static_cast<StringId>(name)].find("GraphLaunch") != std::string_view::npos;
  }
  std::vector<EventRow> replays;  // calls as slices name theirs
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.kind[i] == EventKind::kHostCall && launches_graph[events.name[i]]) {
      if (const EventRow call = launches.innermost(i); call != kNoEvent) {
        replays.push_back(call);
      }
    }
  }
  if (replays.empty()) {
    return counts;
  }
  std::sort(replays.begin(), replays.end());  // a runtime's call and the driver's within are one
  replays.erase(std::unique(replays.begin(), replays.end()), replays.end());
  std::vector<bool> recorded(replays.size());
  for (const DeviceWork& work : devices) {
    for (const DeviceSlice& slice : work.slices) {
      const auto replay = std::lower_bound(replays.begin(), replays.end(), slice.call);
      if (replay != replays.end() && *replay == slice.call) {
        recorded[static_cast<size_t>(replay - replays.begin())] = true;
      }
    }
  }
  std::map<std::pair<uint32_t, int64_t>, uint64_t> of_ranks;  // recordings and ranks that have devices
  for (const DeviceWork& work : devices) {
    of_ranks[{work.recording, work.rank}] = 0;
  }
  for (size_t i = 0; i < replays.size(); ++i) {
    const Track& track = events.tracks[events.track[replays[i]]];
    const auto of_rank = of_ranks.find({track.recording, track.rank});
    if (!recorded[i] && of_rank != of_ranks.end()) {
      ++of_rank->second;
      losses.add(Loss::kUnrecordedReplay, [&] { return name_of(events, replays[i]); });
    }
  }
  for (size_t i = 0; i < devices.size(); ++i) {
    counts[i] = of_ranks[{devices[i].recording, devices[i].rank}];
  }
  return counts;
}

void count_unmatched_flows(const EventTable& events, LossTable& losses) {
  const auto is_mark = [&](size_t i) {
    return events.shape[i] == EventShape::kFlowStart || events.shape[i] == EventShape::kFlowEnd;
  };
  const auto flow_of = [&](EventRow mark) {
    return std::tuple(events.tracks[events.track[mark]].recording, events.category[mark], events.name[mark],
                      events.correlation[mark]);
  };
  const auto is_start = [&](EventRow mark) { return events.shape[mark] == EventShape::kFlowStart; };
  RowGroups groups(events.size(), 1, [&](size_t i) { return is_mark(i) ? 0 : RowGroups::kNone; });
  groups.sort([&](EventRow a, EventRow b) {  // of one flow its ends come first
    return std::tuple(flow_of(a), is_start(a)) < std::tuple(flow_of(b), is_start(b));
  });
  const auto marks = groups.group(0);
  for (size_t first = 0, behind = 0; first < marks.size(); first = behind) {
    while (behind < marks.size() && flow_of(marks[behind]) == flow_of(marks[first])) {
      ++behind;
    }
    if (is_start(marks[first]) || !is_start(marks[behind - 1])) {
      losses.add(Loss::kUnmatchedFlow, [&] {
        const int64_t id = events.correlation[marks[first]];
        const std::string_view name = events.strings[events.name[marks[first]]];
        return fmt::format("{} {}", name.empty() ? "flow" : name,  // Perfetto's have none
                           id == kNoId ? "without an id" : std::to_string(static_cast<uint64_t>(id)));
      });
    }
  }
}

LossTable trace_losses(const EventTable& events, const std::vector<DeviceWork>& devices, const LaunchIndex& launches) {
  LossTable losses = events.losses;
  for (const DeviceWork& work : devices) {
    count_overlaps(events, work, stream_order(events, work).all(), losses);
    count_unlinked(events, work, launches, losses);
  }
  count_unrecorded_replays(events, devices, launches, losses);
  count_unrecorded_launches(events, devices, launches, losses);
  count_unmatched_flows(events, losses);
  return losses;
}

}  // namespace aaco
