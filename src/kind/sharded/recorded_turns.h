// SPDX-License-Identifier: MIT
// Steps of a rank under a collector: as they are and one by one, in turns within one process (ABBA), so that both meet
// the same clocks.
#pragma once

#include "device/backend.h"
#include "kind/sharded/prepared_rank.h"
#include "kind/sharded/rank_records.h"
#include "record/device/activity_table.h"

namespace aaco {

inline constexpr int64_t kRecordedPairs = 4;  // of a turn as they are and one by one

struct TurnsPlan {
  DispatchMode mode = DispatchMode::kSingle;  // of the steps as they are
  int64_t warmup = 0;                         // of each, before the first turn
  int64_t turn_steps = 1;

  // Of both together.
  int64_t steps() const { return 2 * (warmup + kRecordedPairs * turn_steps); }
};

struct RecordedTurns {
  EventTable overlapped;
  EventTable one_by_one;
};

// `collector` hands over to `sink`. Sets the steps, the turns and the paths of `records`. Errors: the device's; those
// of events_of_rank.
Result<RecordedTurns> record_turns(const PreparedRank& prepared, const TurnsPlan& plan, ActivityCollector& collector,
                                   ActivityTable& sink, RankRecords& records);

}  // namespace aaco
