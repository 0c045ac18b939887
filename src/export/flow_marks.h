// SPDX-License-Identifier: MIT
// Ends of arrows as a viewer takes them: each on a slice.
#pragma once

#include <cstdint>
#include <vector>

#include "export/layout.h"
#include "record/events/event_table.h"

namespace aaco {

inline constexpr uint64_t kNoSlice = UINT64_MAX;

struct FlowMark {
  uint64_t event = 0;
  uint64_t slice = kNoSlice;  // that it lies on: the innermost, or the next one where the mark says so
};

// In the order of the events.
std::vector<FlowMark> flow_marks(const EventTable& events, const Layout& layout);

// An arrow that the trace does not hold, from a call to what it started.
struct CallArrow {
  uint64_t call = 0;
  uint64_t slice = 0;
};

// By correlation id, of recordings that hold no arrows of their own; in the order of the slices.
std::vector<CallArrow> call_arrows(const EventTable& events);

bool is_flow(EventShape shape);

}  // namespace aaco
