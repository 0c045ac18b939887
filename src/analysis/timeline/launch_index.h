// SPDX-License-Identifier: MIT
// Which call on the host started what ran on a device: joined by the correlation id, which holds within one rank of a
// recording.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/timeline/device_work.h"
#include "trace/event_table.h"

namespace aaco {

class LaunchIndex {
 public:
  explicit LaunchIndex(const EventTable& events);

  // The row of the call with the correlation id of `event`; of several the one that began last, which is the innermost.
  std::optional<size_t> launch_of(const EventTable& events, size_t event) const;
  // The same of a correlation id that an event on `track` names.
  std::optional<size_t> call_of(const Track& track, int64_t correlation) const;

 private:
  using Rank = std::pair<uint32_t, int64_t>;  // recording and rank
  struct Call {
    int64_t correlation;
    uint64_t event;
    uint32_t rank;  // index of `ranks_`
  };

  std::map<Rank, uint32_t> ranks_;
  std::vector<Call> calls_;  // by rank, correlation id and start
};

// The end of each slice's launching call, from which on the device could have begun it; kNoId where it is not recorded.
std::vector<int64_t> submissions(const EventTable& events, const DeviceWork& work, const LaunchIndex& launches);

}  // namespace aaco
