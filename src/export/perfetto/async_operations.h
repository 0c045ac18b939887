// SPDX-License-Identifier: MIT
// Operations that a trace holds as begin, steps and end across threads, for formats that know slices only: each on a
// row of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "record/events/event_table.h"

namespace aaco::perfetto {

struct AsyncMark {
  enum class Is : uint8_t { kBegin, kStep, kEnd };

  uint64_t event = 0;
  Is is = Is::kStep;
  bool first = false;  // of its operation
};

// Operation by operation in the order of time; an end of what had not begun is a step. `unended`: begins without an
// end.
std::vector<AsyncMark> async_marks(const EventTable& events, uint64_t& unended);

}  // namespace aaco::perfetto
