// SPDX-License-Identifier: MIT
// Lengths of dispatches that were counted without times. The first rocprof counts in one run of a program (`pmc:`) and
// times in another (`--timestamp on`); where both ran the very same dispatches, in one order, the one run's lengths are
// taken for the other's counters, as passes of one run are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/counters/counter_reader.h"
#include "base/memory/growing_array.h"
#include "record/events/event_row.h"
#include "record/events/event_table.h"

namespace aaco {

class TimedRuns {
 public:
  TimedRuns(const EventTable& events, const CounterReader& reader);

  struct Length {
    int64_t duration_ns = 0;
    uint32_t recording = 0;  // whose it is
  };
  // Of the same dispatch in the other run. None where no other run, or more than one, has the same dispatches.
  std::optional<Length> length_of(EventRow counted) const;

 private:
  struct Pair {
    EventRow counted;
    EventRow timed;
  };

  const EventTable& events_;
  GrowingArray<Pair> pairs_;  // by `counted`
};

}  // namespace aaco
