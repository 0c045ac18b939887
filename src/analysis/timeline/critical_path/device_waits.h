// SPDX-License-Identifier: MIT
// What the host waited for on the device, and what a stream waited for where only the call that made it wait is
// recorded: the work that was launched before the call began and ended last before the wait was over.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "analysis/timeline/device_work.h"
#include "analysis/timeline/launch_index.h"
#include "analysis/timeline/stream_dependencies.h"

namespace aaco {

// A moment of a host thread.
struct HostPoint {
  static constexpr uint32_t kNoTrack = std::numeric_limits<uint32_t>::max();

  uint32_t track = kNoTrack;
  int64_t time_ns = 0;
  friend auto operator<=>(const HostPoint&, const HostPoint&) = default;
};

// A device and what is known of each of its slices.
struct DeviceQueue {
  const DeviceWork* work = nullptr;
  const StreamDependencies* dependencies = nullptr;
  // The end of each slice's launching call, or its start where the slice began before that end; kNoTrack where the call
  // is not in the trace, or begins after the slice.
  std::vector<HostPoint> launched;
};
DeviceQueue device_queue(const EventTable& events, const DeviceWork& work, const StreamDependencies& dependencies,
                         const LaunchIndex& launches);

struct DeviceWaits {
  struct OfHost {
    HostPoint returned;  // the end of the call that waited
    uint32_t device = 0;
    uint32_t slice = 0;  // which ended within the call
    friend auto operator<=>(const OfHost&, const OfHost&) = default;
  };
  struct OfStream {
    uint32_t device = 0;
    uint32_t waiter = 0;  // the first slice launched after the call by its thread
    uint32_t waited_for = 0;
    friend auto operator<=>(const OfStream&, const OfStream&) = default;
  };
  std::vector<OfHost> host;      // in ascending order
  std::vector<OfStream> stream;  // inferred: no record says for what the stream waited
};

// A call's stream, and the event that it waited for, are respected where a record says them.
DeviceWaits device_waits(const EventTable& events, const LaunchIndex& launches, std::span<const DeviceQueue> devices);

}  // namespace aaco
