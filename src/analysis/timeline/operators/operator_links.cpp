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
  Linker(const EventTable& events, const LaunchIndex& launches, const HostTimeline& timeline, RankOperators& rank)
      : events_(events), launches_(launches), timeline_(timeline), rank_(rank) {}

  void add(const DeviceWork& device) {
    for (const DeviceSlice& slice : device.slices) {
      rank_.slices.push_back(link_of(slice.event));
    }
  }

 private:
  LinkedSlice link_of(uint64_t slice);
  uint64_t by_external_id(int64_t id);

  const EventTable& events_;
  const LaunchIndex& launches_;
  const HostTimeline& timeline_;
  RankOperators& rank_;
  std::optional<std::vector<std::pair<int64_t, uint64_t>>> external_ids_;  // and operator; made when it is needed
};

LinkedSlice Linker::link_of(uint64_t slice) {
  LinkedSlice linked{slice};
  const auto call = launches_.launch_of(events_, slice);
  if (call) {
    linked.call = *call;
    linked.op = timeline_.at(events_.track[*call], events_.start_ns[*call]);
    if (linked.op != HostSegment::kNone) {
      linked.link = OperatorLink::kByTime;
      return linked;
    }
  }
  linked.op = call ? by_external_id(events_.external_id[*call]) : LinkedSlice::kNone;
  linked.op = linked.op == LinkedSlice::kNone ? by_external_id(events_.external_id[slice]) : linked.op;
  linked.link = linked.op != LinkedSlice::kNone ? OperatorLink::kByExternalId
                : call                          ? OperatorLink::kNoOperator
                                                : OperatorLink::kNoLaunch;
  return linked;
}

uint64_t Linker::by_external_id(int64_t id) {
  if (id == kNoId || id == 0) {  // 0 is written for none
    return LinkedSlice::kNone;
  }
  if (!external_ids_) {
    external_ids_.emplace();
    for (const uint64_t op : rank_.operators) {
      external_ids_->emplace_back(events_.external_id[op], op);
    }
    std::sort(external_ids_->begin(), external_ids_->end());
  }
  const auto found = std::lower_bound(external_ids_->begin(), external_ids_->end(), std::pair(id, uint64_t{0}));
  return found != external_ids_->end() && found->first == id ? found->second : LinkedSlice::kNone;
}

}  // namespace

std::vector<RankOperators> link_operators(const EventTable& events, const std::vector<DeviceWork>& devices,
                                          const LaunchIndex& launches) {
  std::map<Rank, RankOperators> ranks;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.kind[i] == EventKind::kHostOp && events.shape[i] == EventShape::kSlice) {
      const Track& track = events.tracks[events.track[i]];
      ranks[{track.recording, track.rank}].operators.push_back(i);
    }
  }
  std::map<Rank, std::vector<const DeviceWork*>> devices_of;
  for (const DeviceWork& device : devices) {
    devices_of[{device.recording, device.rank}].push_back(&device);
  }
  const HostTimeline timeline(events, kOperators);
  std::vector<RankOperators> all;
  for (auto& [rank, operators] : ranks) {
    std::tie(operators.recording, operators.rank) = rank;
    Linker linker(events, launches, timeline, operators);
    for (const DeviceWork* device : devices_of[rank]) {
      linker.add(*device);
    }
    all.push_back(std::move(operators));
  }
  return all;
}

}  // namespace aaco
