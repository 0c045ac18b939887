// SPDX-License-Identifier: MIT
#include "analysis/timeline/launch_index.h"

#include <algorithm>
#include <tuple>

namespace aaco {

LaunchIndex::LaunchIndex(const EventTable& events) {
  std::vector<uint32_t> rank_of_track;
  for (const Track& track : events.tracks) {
    const auto next = static_cast<uint32_t>(ranks_.size());
    rank_of_track.push_back(ranks_.try_emplace(Rank(track.recording, track.rank), next).first->second);
  }
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.kind[i] == EventKind::kHostCall && events.correlation[i] != kNoId) {
      calls_.push_back({events.correlation[i], i, rank_of_track[events.track[i]]});
    }
  }
  std::sort(calls_.begin(), calls_.end(), [&](const Call& a, const Call& b) {
    return std::tuple(a.rank, a.correlation, events.start_ns[a.event], a.event) <
           std::tuple(b.rank, b.correlation, events.start_ns[b.event], b.event);
  });
}

std::optional<size_t> LaunchIndex::launch_of(const EventTable& events, size_t event) const {
  return call_of(events.tracks[events.track[event]], events.correlation[event]);
}

std::optional<size_t> LaunchIndex::call_of(const Track& track, int64_t correlation) const {
  const auto rank = ranks_.find(Rank(track.recording, track.rank));
  if (rank == ranks_.end() || correlation == kNoId) {
    return std::nullopt;
  }
  const auto behind = std::upper_bound(
      calls_.begin(), calls_.end(), std::pair(rank->second, correlation),
      [](const auto& wanted, const Call& call) { return wanted < std::pair(call.rank, call.correlation); });
  if (behind == calls_.begin() || std::prev(behind)->rank != rank->second ||
      std::prev(behind)->correlation != correlation) {
    return std::nullopt;
  }
  return std::prev(behind)->event;
}

std::vector<int64_t> submissions(const EventTable& events, const DeviceWork& work, const LaunchIndex& launches) {
  std::vector<int64_t> submitted_ns;
  submitted_ns.reserve(work.slices.size());
  for (const DeviceSlice& slice : work.slices) {
    const auto call = launches.launch_of(events, slice.event);
    submitted_ns.push_back(call ? events.end_ns(*call) : kNoId);
  }
  return submitted_ns;
}

}  // namespace aaco
