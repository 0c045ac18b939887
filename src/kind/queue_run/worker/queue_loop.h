// SPDX-License-Identifier: MIT
// The measured loop of a workload: nothing but the dispatch, the wait that the mode names, and clock reads.
#pragma once

#include <functional>
#include <optional>

#include "base/result.h"
#include "engine/recorder.h"
#include "kind/queue_run/worker/prepared_workload.h"

namespace aaco {

struct QueueLoopOutcome {
  int64_t iterations = 0;
  int64_t wall_ns = 0;
  bool stationary = false;
  std::optional<double> dispatch_p50_ns;
  std::optional<double> p50_ns;
  double units_per_iteration = 0;
};

// What a profiled process does besides: its iterations are recorded as such, and `before` is called when the work of
// the warm-up has ended.
struct UnderProfiler {
  std::function<Result<void>()> before;
};

// Warm-up and measured iterations go to the recorder: in per_iteration as iterations, else as dispatches. An interrupt
// ends the loop early, without an error. Whatever it returns, the streams are done. Errors: what a stream failed at;
// the journal's; those of `before`; kInvalid where the request asks for checks and the workload's own find what is
// there to be wrong (not under a profiler, whose records they would be among).
Result<QueueLoopOutcome> measure_queue(PreparedWorkload& workload, Recorder& recorder, const QueueRequest& request,
                                       const UnderProfiler* profiler = nullptr);

}  // namespace aaco
