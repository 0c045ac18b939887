// SPDX-License-Identifier: MIT
// Finds the track that an ingestor means, and makes it the first time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "trace/event_table.h"

namespace aaco {

class TrackIndex {
 public:
  // Of `table`'s tracks, those that are there already too; nobody else may add to them meanwhile.
  explicit TrackIndex(EventTable& table);

  // The number of the track of the same recording, rank, process, thread, device and stream; the names are those of the
  // first call.
  uint32_t of(const Track& track);

 private:
  using Key = std::tuple<StringId, StringId, int64_t, int64_t, int64_t, uint32_t>;

  static Key key_of(const Track& track);
  static bool is_same(const Track& a, const Track& b);  // as their keys are

  EventTable& table_;
  std::map<Key, uint32_t> tracks_;
  std::optional<uint32_t> last_;  // tracks come in runs
};

}  // namespace aaco
