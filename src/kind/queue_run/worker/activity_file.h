// SPDX-License-Identifier: MIT
// What a profiled process recorded, on its way to the process that makes figures of it: journals in the run's working
// folder, which a closed session does not keep.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"
#include "kind/queue_run/timeline/kernel_readiness.h"

namespace aaco {

// But round_starts_ns. Errors: the journal's.
Result<void> write_activity(const std::filesystem::path& folder, int64_t process, const ActivityRun& run);
// Not round_starts_ns, which the iterations tell. Errors: the journal's, kUsage for one that was not written to its
// end.
Result<ActivityRun> read_activity(const std::filesystem::path& folder, int64_t process);

}  // namespace aaco
