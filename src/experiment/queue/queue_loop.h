// SPDX-License-Identifier: MIT
// The measured loop of a workload: nothing but the dispatch, the wait that the mode names, and clock reads.
#pragma once

#include "base/result.h"
#include "experiment/queue/prepared_workload.h"
#include "experiment/recorder.h"

namespace aaco {

struct QueueLoopOutcome {
  int64_t iterations = 0;
  int64_t wall_ns = 0;
  bool stationary = false;
  double dispatch_p50_ns = 0;
  std::optional<double> p50_ns;
  double units_per_iteration = 0;
};

// Warm-up and measured iterations go to the recorder: in per_iteration as iterations, else as dispatches. An interrupt
// ends the loop early, without an error. Errors: what a stream failed at; the journal's.
Result<QueueLoopOutcome> measure_queue(PreparedWorkload& workload, Recorder& recorder, const QueueRequest& request);

}  // namespace aaco
