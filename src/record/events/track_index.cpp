// SPDX-License-Identifier: MIT
#include "record/events/track_index.h"

namespace aaco {

void TrackIndex::know(uint32_t recording) {
  if (!known_.insert(recording).second) {
    return;
  }
  for (size_t i = 0; i < table_.tracks.size(); ++i) {
    if (table_.tracks[i].recording == recording) {
      tracks_.try_emplace(key_of(table_.tracks[i]), static_cast<uint32_t>(i));
    }
  }
}

TrackIndex::Key TrackIndex::key_of(const Track& track) {
  return {track.process, track.thread, track.device, track.stream, track.rank, track.recording};
}

bool TrackIndex::is_same(const Track& a, const Track& b) {
  return a.process == b.process && a.thread == b.thread && a.device == b.device && a.stream == b.stream &&
         a.rank == b.rank && a.recording == b.recording;
}

size_t TrackIndex::place_of(const Track& track) {
  const uint64_t mixed = track.thread + 3 * uint64_t{track.process} + 5 * static_cast<uint64_t>(track.stream) +
                         7 * static_cast<uint64_t>(track.device) + 11 * static_cast<uint64_t>(track.rank) +
                         13 * uint64_t{track.recording};
  return mixed % kRecent;
}

uint32_t TrackIndex::index(const Track& track) {
  uint32_t& recent = recent_[place_of(track)];
  if (recent == kNone || !is_same(table_.tracks[recent], track)) {
    know(track.recording);
    const auto [entry, added] = tracks_.try_emplace(key_of(track), static_cast<uint32_t>(table_.tracks.size()));
    if (added) {
      table_.tracks.push_back(track);
    }
    recent = entry->second;
  }
  return recent;
}

}  // namespace aaco
