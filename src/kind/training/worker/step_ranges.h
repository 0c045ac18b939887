// SPDX-License-Identifier: MIT
// One step with its phases: when each was enqueued, and when its work ran.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/ranges/profiler_ranges.h"
#include "record/events/event_table.h"

namespace aaco {

// A range of the enqueueing thread, in session time.
struct RangeSpan {
  std::string name;
  int32_t depth = 0;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
};

// Hears ranges of one thread, and keeps when they were open.
class RangeRecorder {
 public:
  explicit RangeRecorder(int64_t (*now_ns)());

  // Must not outlive this.
  RangeListener listener();
  // In the order of their starts; those that are open still are not among them.
  std::vector<RangeSpan> take();

 private:
  int64_t (*now_ns_)();
  std::vector<size_t> open_;
  std::vector<RangeSpan> spans_;
};

// Adds to what a collector recorded the phases of the host, and a row for the phases of each depth on the device: from
// the first start to the last end of what was enqueued within, by the correlation of calls.
EventTable events_of_step(EventTable events, const std::vector<RangeSpan>& spans);

}  // namespace aaco
