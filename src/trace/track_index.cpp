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

uint32_t TrackIndex::of(const Track& track) {
  const Key key = key_of(track);
  if (last_key_ != key) {
    const auto [found, added] = tracks_.try_emplace(key, static_cast<uint32_t>(table_.tracks.size()));
    if (added) {
      table_.tracks.push_back(track);
    }
    last_key_ = key;
    last_ = found->second;
  }
  return last_;
}

}  // namespace aaco
