// SPDX-License-Identifier: MIT
// Arrows as a Perfetto trace has them: numbers on the slices that they join.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "export/flow_marks.h"
#include "export/layout.h"
#include "record/events/event_table.h"

namespace aaco::perfetto {

struct Joint {
  uint64_t event = 0;  // a slice, or a mark that lies on none
  uint64_t arrow = 0;
  bool ends = false;  // nothing follows
};

class Arrows {
 public:
  Arrows(const EventTable& events, const std::vector<FlowMark>& marks, const std::vector<CallArrow>& calls);

  std::span<const Joint> joints(uint64_t event) const;

 private:
  void join_marks(const EventTable& events, const std::vector<FlowMark>& marks);

  std::vector<Joint> joints_;  // by event
  std::vector<bool> joined_;   // events
  uint64_t arrows_ = 0;
};

}  // namespace aaco::perfetto
