// SPDX-License-Identifier: MIT
// Slices that a file writes as two marks are one in the table, and the second mark is a row of its own for what it
// says: which slice that is of.
#pragma once

#include <cstdint>
#include <vector>

#include "record/events/event_table.h"

namespace aaco {

struct SliceEnd {
  uint64_t slice = 0;
  uint64_t end = 0;
};

struct SliceEnds {
  std::vector<SliceEnd> matched;    // by slice
  std::vector<uint64_t> unmatched;  // ends of what had not begun, in order
};

SliceEnds slice_ends(const EventTable& events);

}  // namespace aaco
