// SPDX-License-Identifier: MIT
// A row of an event table as analyses keep it: in half of what its place in memory takes.
#pragma once

#include <cstdint>
#include <limits>

namespace aaco {

using EventRow = uint32_t;
inline constexpr EventRow kNoEvent = std::numeric_limits<EventRow>::max();
inline constexpr uint64_t kMostEventRows = kNoEvent;  // of a table that can be analysed

}  // namespace aaco
