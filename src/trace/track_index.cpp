// SPDX-License-Identifier: MIT
#include "trace/track_index.h"

namespace aaco {

TrackIndex::TrackIndex(EventTable& table) : table_(table) {
  for (const Track& track : table.tracks) {
    tracks_.try_emplace(key_of(track), static_cast<uint32_t>(tracks_.size()));
  }
}

TrackIndex::Key TrackIndex::key_of(const Track& track) {
  return {track.process, track.thread, track.device, track.stream, track.rank, track.recording};
}

bool TrackIndex::is_same(const Track& a, const Track& b) {
  return a.process == b.process && a.thread == b.thread && a.device == b.device && a.stream == b.stream &&
         a.rank == b.rank && a.recording == b.recording;
}

uint32_t TrackIndex::of(const Track& track) {
  if (!last_ || !is_same(table_.tracks[*last_], track)) {
    const auto [found, added] = tracks_.try_emplace(key_of(track), static_cast<uint32_t>(table_.tracks.size()));
    if (added) {
      table_.tracks.push_back(track);
    }
    last_ = found->second;
  }
  return *last_;
}

}  // namespace aaco
