// SPDX-License-Identifier: MIT
// What the host waited for on the device, and what a stream waited for where only the call that made it wait is
// recorded: the work that was launched before the call began and ended last before the wait was over.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "analysis/timeline/device_work.h"
#include "analysis/timeline/lookup/launch_index.h"
#include "analysis/timeline/stream_dependencies.h"

namespace aaco {

// A moment of a host thread.
struct HostPoint {
  static constexpr uint32_t kNoTrack = std::numeric_limits<uint32_t>::max();

  uint32_t track = kNoTrack;
  int64_t time_ns = 0;
  friend auto operator<=>(const HostPoint&, const HostPoint&) = default;
};

// The end of a slice's launching call, or its start where the slice began before that end; kNoTrack where the call is
// not in the trace, or begins after the slice.
HostPoint launch_point(const EventTable& events, const DeviceSlice& slice);

struct DeviceWaits {
  struct OfHost {
    EventRow call = 0;  // that waited
    uint32_t device = 0;
    uint32_t slice = 0;  // which ended within the call
  };
  struct OfStream {
    uint32_t device = 0;
    uint32_t waiter = 0;  // the first slice launched after the call by its thread
    uint32_t waited_for = 0;
    friend auto operator<=>(const OfStream&, const OfStream&) = default;
  };
  std::vector<OfHost> host;      // by the end of the call on its thread
  std::vector<OfStream> stream;  // in ascending order; inferred: no record says for what the stream waited
};

// A call's stream, and the event that it waited for, are respected where a record says them. `dependencies` of each
// device.
DeviceWaits device_waits(const EventTable& events, const LaunchIndex& launches, std::span<const DeviceWork> devices,
                         std::span<const StreamDependencies> dependencies);

}  // namespace aaco
