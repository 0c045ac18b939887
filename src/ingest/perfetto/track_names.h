// SPDX-License-Identifier: MIT
// What a Perfetto trace says of its tracks. A description may stand behind the events that it is of: tracks are made by
// their numbers, and get their names at the end.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>

#include "record/events/event_table.h"

namespace aaco::perfetto {

struct TrackDescription {
  uint64_t parent = 0;
  int64_t process = kNoId;
  int64_t thread = kNoId;
  StringId name = kEmptyString;
  StringId process_name = kEmptyString;
  StringId thread_name = kEmptyString;
  StringId unit = kEmptyString;  // of a counter's values
  int64_t multiplier = 1;
  bool incremental = false;
};

class TrackNames {
 public:
  TrackNames(EventTable& table, uint32_t recording) : table_(table), recording_(recording) {}

  void take_descriptor(std::string_view message);  // TrackDescriptor

  // The row for events of a track; `device` and `stream` where they lie on one, `rank` where they say it.
  uint32_t track_of(uint64_t uuid, int64_t device, int64_t stream, int64_t rank);

  const TrackDescription& description(uint64_t uuid) const;

  void finish();

 private:
  void take_process(std::string_view message, TrackDescription& track);
  void take_thread(std::string_view message, TrackDescription& track);
  void take_counter(std::string_view message, TrackDescription& track);

  EventTable& table_;
  uint32_t recording_;
  std::map<uint64_t, TrackDescription> descriptions_;
  std::map<std::tuple<uint64_t, int64_t, int64_t, int64_t>, uint32_t> tracks_;
};

}  // namespace aaco::perfetto
