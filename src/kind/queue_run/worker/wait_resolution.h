// SPDX-License-Identifier: MIT
// What each piece of recorded work waited for through events, from the program that was given to the streams: the n-th
// record of a stream is the n-th that the program's commands leave on it, iteration after iteration. Believed only
// where the records of a stream agree with that in number and in every name.
#pragma once

#include <string>
#include <vector>

#include "kind/queue_run/timeline/kernel_readiness.h"
#include "kind/queue_run/worker/command_records.h"
#include "record/events/event_table.h"

namespace aaco {

struct ResolvedWaits {
  std::vector<EventDependency> waits;
  std::string unresolved;  // the first stream of which they are not, and why; empty: all are
};

// `events` are those of `iterations` whole iterations, begun when all earlier work had ended. Work of a stream that
// waits, and of which it is not known for what, is in `waits` with kNoId as the producer.
ResolvedWaits resolve_waits(const Program& program, const CommandRecords& commands, const ProgramTarget& target,
                            const EventTable& events, int64_t iterations);

}  // namespace aaco
