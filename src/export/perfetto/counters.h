// SPDX-License-Identifier: MIT
// Counters of a trace as tracks of a Perfetto trace: each number of a row is a curve of its own.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>

#include "export/layout.h"
#include "export/perfetto/packets.h"
#include "export/perfetto/tracks.h"
#include "record/events/event_table.h"

namespace aaco::perfetto {

class Counters {
 public:
  Counters(const EventTable& events, const Layout& layout, Packets& packets, Tracks& tracks)
      : events_(events), layout_(layout), packets_(packets), tracks_(tracks) {}

  // A row that has a number; its first curve takes what else it says.
  void write(size_t event);

 private:
  uint64_t track_of(size_t event, StringId key, std::string_view unit);

  const EventTable& events_;
  const Layout& layout_;
  Packets& packets_;
  Tracks& tracks_;
  std::map<std::tuple<uint32_t, StringId, StringId>, uint64_t> known_;  // tracks by row, name and key
};

}  // namespace aaco::perfetto
