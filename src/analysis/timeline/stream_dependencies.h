// SPDX-License-Identifier: MIT
// What slices of a device had to wait for, where the trace proves it: the slice before on the same stream, and what a
// recorded wait for an event names. A wait that names no recorded event proves nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/timeline/device_work.h"
#include "analysis/timeline/lookup/launch_index.h"
#include "analysis/timeline/lookup/row_groups.h"

namespace aaco {

// Slices, here and below, are indices of DeviceWork::slices. By stream, and on each by start, end and row.
RowGroups stream_order(const EventTable& events, const DeviceWork& work);

class StreamDependencies {
 public:
  struct Wait {
    uint32_t waiter = 0;      // the first slice that its stream began after the wait
    uint32_t waited_for = 0;  // the last one that was launched on the other stream when the event was recorded
  };

  // `order` as stream_order() gives it, of all streams.
  StreamDependencies(const EventTable& events, const DeviceWork& work, const LaunchIndex& launches,
                     std::span<const uint32_t> order);

  // The slice before on the same stream, by start; none where the stream is not recorded.
  std::optional<size_t> before(size_t slice) const;
  // By waiter.
  std::span<const Wait> waits() const { return waits_; }
  std::span<const Wait> waits_of(size_t slice) const;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  void resolve_waits(const EventTable& events, const DeviceWork& work, const LaunchIndex& launches);

  std::vector<uint32_t> before_;  // of each slice
  std::vector<Wait> waits_;
};

}  // namespace aaco
