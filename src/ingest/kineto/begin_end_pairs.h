// SPDX-License-Identifier: MIT
// Slices that are written as two marks, "B" and "E": which mark ends which. The marks of a thread count in the order of
// their times, whatever their order in the file. An end with a name ends the innermost open slice of that name, one
// without a name the innermost of all. An end may stand before its begin where both have one time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "record/events/event_table.h"

namespace aaco {

// The duration of a begin's row until its end is known.
inline constexpr int64_t kOpenSliceNs = -1;

// Gives all slices of `recording` from row `first` on that are open their lengths: those of begins; ends are rows of
// shape kSliceEnd. A begin without an end becomes an instant; either one alone is a loss. `file`: in messages.
void match_begins_and_ends(EventTable& table, uint32_t recording, size_t first, const std::string& file);

}  // namespace aaco
