// SPDX-License-Identifier: MIT
#include "analysis/timeline/operators/operator_links.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/timeline/host_timeline.h"

namespace aaco {

namespace {

constexpr std::array<EventKind, 1> kOperators = {EventKind::kHostOp};

using Rank = std::pair<uint32_t, int64_t>;  // recording and rank

// Links the slices of one rank to its operators.
class Linker {
 public:
  Linker(const EventTable& events, const HostTimeline& timeline, RankOperators& rank)
      : events_(events), timeline_(timeline), rank_(rank) {}

  void add(const DeviceWork& device) {
    for (const DeviceSlice& slice : device.slices) {
      rank_.slices.push_back(link_of(slice));
    }
  }

 private:
  LinkedSlice link_of(const DeviceSlice& slice);
  EventRow by_external_id(int64_t id);

  const EventTable& events_;
  const HostTimeline& timeline_;
  RankOperators& rank_;
  std::optional<std::vector<EventRow>> by_external_id_;  // operators; made when it is needed
};

LinkedSlice Linker::link_of(const DeviceSlice& slice) {
  LinkedSlice linked{slice.event, kNoEvent, slice.call, OperatorLink::kNoLaunch};
  const bool launched = slice.call != kNoEvent;
  if (launched) {
    linked.op = timeline_.at(events_.track[slice.call], events_.start_ns[slice.call]);
    if (linked.op != kNoEvent) {
      linked.link = OperatorLink::kByTime;
      return linked;
    }
    linked.op = by_external_id(events_.external_id[slice.call]);
  }
  linked.op = linked.op == kNoEvent ? by_external_id(events_.external_id[slice.event]) : linked.op;
  linked.link = linked.op != kNoEvent ? OperatorLink::kByExternalId
                : launched            ? OperatorLink::kNoOperator
                                      : OperatorLink::kNoLaunch;
  return linked;
}

EventRow Linker::by_external_id(int64_t id) {
  if (id == kNoId || id == 0) {  // 0 is written for none
    return kNoEvent;
  }
  if (!by_external_id_) {
    by_external_id_ = rank_.operators;
    std::sort(by_external_id_->begin(), by_external_id_->end(), [&](EventRow a, EventRow b) {
      return std::pair(events_.external_id[a], a) < std::pair(events_.external_id[b], b);
    });
  }
  const auto position = std::lower_bound(by_external_id_->begin(), by_external_id_->end(), id,
                                         [&](EventRow op, int64_t wanted) { return events_.external_id[op] < wanted; });
  return position != by_external_id_->end() && events_.external_id[*position] == id ? *position : kNoEvent;
}

// What the thread of each operator was in, to the operators.
void add_host_times(const EventTable& events, const HostTimeline& timeline, std::map<Rank, RankOperators>& ranks) {
  std::vector<EventRow> place(events.size());  // among its rank's
  for (auto& [rank, operators_of_rank] : ranks) {
    operators_of_rank.host_self_ns.resize(operators_of_rank.operators.size());
    for (size_t i = 0; i < operators_of_rank.operators.size(); ++i) {
      place[operators_of_rank.operators[i]] = static_cast<EventRow>(i);
    }
  }
  for (uint32_t track = 0; track < events.tracks.size(); ++track) {
    const auto rank = ranks.find({events.tracks[track].recording, events.tracks[track].rank});
    const HostSegments segments = timeline.segments(track);
    for (size_t i = 0; rank != ranks.end() && i + 1 < segments.size(); ++i) {  // the last one is of none
      if (segments.event[i] != kNoEvent) {
        rank->second.host_self_ns[place[segments.event[i]]] += segments.start_ns[i + 1] - segments.start_ns[i];
      }
    }
  }
}

}  // namespace

std::vector<RankOperators> link_operators(const EventTable& events, const std::vector<DeviceWork>& devices) {
  std::map<Rank, RankOperators> ranks;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.kind[i] == EventKind::kHostOp && events.shape[i] == EventShape::kSlice) {
      const Track& track = events.tracks[events.track[i]];
      ranks[{track.recording, track.rank}].operators.push_back(static_cast<EventRow>(i));
    }
  }
  std::map<Rank, std::vector<const DeviceWork*>> devices_of;
  for (const DeviceWork& device : devices) {
    devices_of[{device.recording, device.rank}].push_back(&device);
  }
  const HostTimeline timeline(events, kOperators);
  add_host_times(events, timeline, ranks);
  std::vector<RankOperators> all;
  for (auto& [rank, operators] : ranks) {
    std::tie(operators.recording, operators.rank) = rank;
    size_t slices = 0;
    for (const DeviceWork* device : devices_of[rank]) {
      slices += device->slices.size();
    }
    operators.slices.reserve(slices);
    Linker linker(events, timeline, operators);
    for (const DeviceWork* device : devices_of[rank]) {
      linker.add(*device);
    }
    all.push_back(std::move(operators));
  }
  return all;
}

RowGroups linked_stream_order(const EventTable& events, const RankOperators& rank) {
  // Of this rank's tracks alone: a trace may have as many ranks as tracks.
  std::vector<uint32_t> tracks;
  for (const LinkedSlice& slice : rank.slices) {
    if (const uint32_t track = events.track[slice.event]; tracks.empty() || track != tracks.back()) {
      tracks.push_back(track);
    }
  }
  std::sort(tracks.begin(), tracks.end());
  tracks.erase(std::unique(tracks.begin(), tracks.end()), tracks.end());
  RowGroups order(rank.slices.size(), tracks.size(), [&](size_t i) {
    const auto position = std::lower_bound(tracks.begin(), tracks.end(), events.track[rank.slices[i].event]);
    return static_cast<uint32_t>(position - tracks.begin());
  });
  order.sort([&](uint32_t a, uint32_t b) {
    const EventRow first = rank.slices[a].event;
    const EventRow second = rank.slices[b].event;
    return std::tuple(events.start_ns[first], first) < std::tuple(events.start_ns[second], second);
  });
  return order;
}

}  // namespace aaco
