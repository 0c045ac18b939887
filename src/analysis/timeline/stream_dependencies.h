// SPDX-License-Identifier: MIT
// What slices of a device had to wait for, where the trace proves it: the slice before on the same stream, and what a
// recorded wait for an event names. A wait that names no recorded event proves nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/timeline/device_work.h"
#include "analysis/timeline/launch_index.h"

namespace aaco {

// Slices are indices of DeviceWork::slices.
class StreamDependencies {
 public:
  struct Wait {
    size_t waiter = 0;      // the first slice that its stream began after the wait
    size_t waited_for = 0;  // the last one that was launched on the other stream when the event was recorded
  };

  StreamDependencies(const EventTable& events, const DeviceWork& work, const LaunchIndex& launches);

  // The next slices of the same stream, by start; none where the stream is not recorded.
  std::optional<size_t> before(size_t slice) const;
  std::optional<size_t> after(size_t slice) const;
  // By stream and start.
  std::span<const uint32_t> order() const { return order_; }
  // By waiter.
  std::span<const Wait> waits() const { return waits_; }
  std::span<const Wait> waits_of(size_t slice) const;

 private:
  void resolve_waits(const EventTable& events, const DeviceWork& work, const LaunchIndex& launches);

  std::vector<int64_t> stream_;  // of each slice
  std::vector<uint32_t> order_;  // slices by stream, start, end and row
  std::vector<uint32_t> place_;  // of each slice in `order_`
  std::vector<Wait> waits_;
};

}  // namespace aaco
