// SPDX-License-Identifier: MIT
// Activity records of a profiled process on their way to the process that makes figures of them: journals in the run's
// working folder, which a closed session does not keep.
#pragma once

#include <cstdint>
#include <filesystem>

#include "analysis/queue/timeline/kernel_readiness.h"
#include "base/result.h"

namespace aaco {

// The records, waits and why some are not resolved, and what was lost; not round_starts_ns, which the iterations tell.
// Errors: the journal's.
Result<void> write_activity(const std::filesystem::path& folder, int64_t process, const ActivityRun& run);
Result<ActivityRun> read_activity(const std::filesystem::path& folder, int64_t process);

}  // namespace aaco
