// SPDX-License-Identifier: MIT
// Finds the track that an ingestor means, and makes it the first time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>

#include "record/events/event_table.h"

namespace aaco {

class TrackIndex {
 public:
  // Of `table`'s tracks, those that are there already too; nobody else may add to them meanwhile.
  explicit TrackIndex(EventTable& table) : table_(table) { recent_.fill(kNone); }

  // The number of the track of the same recording, rank, process, thread, device and stream; the names are those of the
  // first call.
  uint32_t index(const Track& track);

 private:
  using Key = std::tuple<StringId, StringId, int64_t, int64_t, int64_t, uint32_t>;

  static constexpr size_t kRecent = 64;
  static constexpr uint32_t kNone = UINT32_MAX;

  static Key key_of(const Track& track);
  static bool is_same(const Track& a, const Track& b);  // as their keys are
  static size_t place_of(const Track& track);           // among the recent ones
  void know(uint32_t recording);

  EventTable& table_;
  std::set<uint32_t> known_;  // recordings whose tracks are in `tracks_`; of a thousand files each reader needs its own
  std::map<Key, uint32_t> tracks_;
  std::array<uint32_t, kRecent> recent_;  // few tracks have many events
};

}  // namespace aaco
