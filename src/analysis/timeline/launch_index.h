// SPDX-License-Identifier: MIT
// Which call on the host started what ran on a device: joined by the correlation id, which holds within one rank of a
// recording.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/timeline/row_groups.h"
#include "trace/event_table.h"

namespace aaco {

class LaunchIndex {
 public:
  explicit LaunchIndex(const EventTable& events);

  // The row of the call with the correlation id of `event`; of several the one that began last, which is the innermost.
  std::optional<size_t> launch_of(size_t event) const;
  // The same of a correlation id that an event on `track` names.
  std::optional<size_t> call_of(uint32_t track, int64_t correlation) const;

 private:
  const EventTable& events_;
  std::vector<uint32_t> rank_of_track_;  // numbered, with the recording
  RowGroups calls_;                      // by rank: rows, by correlation id and start
};

}  // namespace aaco
