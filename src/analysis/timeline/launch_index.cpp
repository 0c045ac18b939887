// SPDX-License-Identifier: MIT
#include "analysis/timeline/launch_index.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace aaco {

namespace {

std::vector<uint32_t> ranks_of_tracks(const EventTable& events) {
  std::map<std::pair<uint32_t, int64_t>, uint32_t> ranks;
  std::vector<uint32_t> of_track;
  for (const Track& track : events.tracks) {
    const auto next = static_cast<uint32_t>(ranks.size());
    of_track.push_back(ranks.try_emplace({track.recording, track.rank}, next).first->second);
  }
  return of_track;
}

}  // namespace

LaunchIndex::LaunchIndex(const EventTable& events)
    : events_(events),
      rank_of_track_(ranks_of_tracks(events)),
      calls_(events.size(), events.tracks.size(), [&](size_t i) {
        return events.kind[i] == EventKind::kHostCall && events.correlation[i] != kNoId
                   ? rank_of_track_[events.track[i]]
                   : RowGroups::kNone;
      }) {
  calls_.sort([&](uint32_t a, uint32_t b) {
    return std::tuple(events.correlation[a], events.start_ns[a], a) <
           std::tuple(events.correlation[b], events.start_ns[b], b);
  });
}

std::optional<size_t> LaunchIndex::launch_of(size_t event) const {
  return call_of(events_.track[event], events_.correlation[event]);
}

std::optional<size_t> LaunchIndex::call_of(uint32_t track, int64_t correlation) const {
  const auto calls = calls_.of(rank_of_track_[track]);
  const auto behind = std::upper_bound(calls.begin(), calls.end(), correlation, [&](int64_t wanted, uint32_t call) {
    return wanted < events_.correlation[call];
  });
  if (correlation == kNoId || behind == calls.begin() || events_.correlation[*std::prev(behind)] != correlation) {
    return std::nullopt;
  }
  return *std::prev(behind);
}

}  // namespace aaco
