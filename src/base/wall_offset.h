// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace aaco {

// How far the calendar's clock is ahead of the session's (clock.h): the same as long as nobody sets it.
struct WallOffset {
  int64_t offset_ns = 0;
  int64_t error_ns = 0;  // at most
};

// The tightest of a few readings.
WallOffset wall_offset();

}  // namespace aaco
