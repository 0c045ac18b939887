// SPDX-License-Identifier: MIT
// Which call on the host started what ran on a device. Correlation ids join them. An id holds within one process of one
// rank of a recording, and a call starts before its work does; what several calls could have started is linked to none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/timeline/lookup/row_groups.h"
#include "record/events/event_row.h"
#include "record/events/event_table.h"

namespace aaco {

enum class LaunchLink : uint8_t {
  kLinked,
  kNoCall,      // the trace has no call with its id, or it has no id
  kAmbiguous,   // calls of several processes have its id, and which process it is of is not recorded
  kBeforeCall,  // every call with its id starts later: the clocks of host and device disagree
};

struct LaunchMatch {
  EventRow call = kNoEvent;  // of kBeforeCall the first with its id, which is no link
  LaunchLink link = LaunchLink::kNoCall;
  bool id_came_again = false;  // calls that do not lie within each other have its id
};

class LaunchIndex {
 public:
  explicit LaunchIndex(const EventTable& events);

  // The nearest call before `event` with its id; of nested ones the innermost.
  LaunchMatch launch_of(size_t event) const;
  // The call with an id that an event on `track` names: the nearest before `at_ns`, else the first.
  std::optional<size_t> call_of(uint32_t track, int64_t correlation, int64_t at_ns) const;
  // Of a call: the innermost with its id within it, which is what slices are linked to.
  EventRow innermost(size_t call) const;
  // The calls with the id of `call` in its process, by their start.
  std::span<const EventRow> same_id(EventRow call) const;

 private:
  static constexpr uint32_t kAnyProcess = UINT32_MAX;
  static constexpr uint32_t kNoProcess = UINT32_MAX - 1;

  // An id that calls of several processes of one rank have.
  struct SharedId {
    uint32_t rank;  // numbered
    int64_t correlation;
    EventRow first;     // the earliest call
    int64_t second_ns;  // when another process than that one's called first
  };

  LaunchMatch find(uint32_t track, int64_t correlation, int64_t until_ns) const;
  // Null where one process has the id.
  const SharedId* shared_id(uint32_t rank, int64_t correlation) const;
  bool lies_within(EventRow inner, EventRow outer) const;
  bool has_id_of(EventRow call, EventRow other) const;
  void number_processes();
  void find_shared_ids();

  const EventTable& events_;
  std::vector<uint32_t> rank_of_track_;     // numbered, with the recording
  std::vector<uint32_t> process_of_track_;  // of those with calls; kNoProcess: of another; kAnyProcess: not recorded
  std::vector<bool> track_has_calls_;
  std::vector<bool> has_one_process_;  // by rank
  RowGroups calls_;                    // by rank: rows, by correlation id, process and start
  std::vector<SharedId> shared_ids_;   // by rank and id
};

}  // namespace aaco
