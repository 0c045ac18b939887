// SPDX-License-Identifier: MIT
// Where one host thread waits for another: PyTorch runs the backward pass on a thread of its own while the one that
// asked for it waits. Its arrows from forward to backward operators (fwdbwd) say which threads these are.
#pragma once

#include <vector>

#include "analysis/timeline/critical_path/device_waits.h"
#include "analysis/timeline/host_timeline.h"
#include "record/events/event_table.h"

namespace aaco {

struct ThreadHandoff {
  HostPoint to;
  HostPoint from;
  friend auto operator<=>(const ThreadHandoff&, const ThreadHandoff&) = default;
};

// Of each gap without operator and call on the asking thread in which the other one worked: from the gap's start to the
// other's first work, and from its last work within the gap to the gap's end. `host` is of kHostKinds. In ascending
// order.
std::vector<ThreadHandoff> thread_handoffs(const EventTable& events, const HostTimeline& host);

}  // namespace aaco
