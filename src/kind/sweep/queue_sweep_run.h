// SPDX-License-Identifier: MIT
// `aaco queue sweep`: one workload over several stream counts.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "kind/queue_run/queue_run.h"
#include "kind/sweep/document/queue_sweep_document.h"
#include "kind/sweep/sweep_run.h"

namespace aaco {

// The first run that fails ends it. Errors: kUsage for no stream counts; the first run's error when there is no point
// at all.
Result<SweepOutcome<QueueSweepDocument>> run_queue_sweep(const QueueRequest& request,
                                                         const std::vector<int32_t>& streams,
                                                         const ProgressCallback& progress);

// Two recorded sweeps again, the processes of all their points in turns (ABBA): the two new bundles.
Result<std::pair<std::filesystem::path, std::filesystem::path>> rerun_queue_sweeps(
    const std::filesystem::path& baseline, const std::filesystem::path& test, const std::string& sessions,
    const ProgressCallback& progress);

}  // namespace aaco
