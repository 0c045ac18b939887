// SPDX-License-Identifier: MIT
// One workload over several stream counts: each a run with a bundle of its own, the sweep a bundle that names them.
#pragma once

#include <optional>
#include <vector>

#include "analysis/documents/queue_sweep_document.h"
#include "experiment/queue/queue_run.h"

namespace aaco {

struct QueueSweepOutcome {
  QueueSweepDocument document;
  std::optional<Error> stopped_by;  // at which the sweep ended early; the points before it are kept
};

// Errors: kUsage for no stream counts; the first run's error when there is no point at all.
Result<QueueSweepOutcome> run_queue_sweep(const QueueRequest& request, const std::vector<int32_t>& streams,
                                          const ProgressCallback& progress);

}  // namespace aaco
