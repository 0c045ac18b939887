// SPDX-License-Identifier: MIT
// Events that were read apart, so that several threads can read, and are then appended to the table that they belong
// to.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "record/events/event_table.h"
#include "record/events/track_index.h"

namespace aaco {

class EventPart {
 public:
  EventTable& table() { return table_; }

  // Moves the events and losses to `into`, whose tracks `tracks` are; its own strings and tracks stay, for the next
  // ones. `recordings`: what each of the part's is there.
  void append_to(EventTable& into, TrackIndex& tracks, std::span<const uint32_t> recordings);

 private:
  EventTable table_;
  std::vector<StringId> strings_;  // what each of the part's is in the table
  std::vector<uint32_t> tracks_;   // likewise
};

}  // namespace aaco
