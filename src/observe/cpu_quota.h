// SPDX-License-Identifier: MIT
// What the kernel counts while a CPU quota holds this process's control groups up: cpu.stat beside cpu.max (version 2)
// or cpu.cfs_quota_us (version 1), of its own group and of those above it, as far as they are mounted.
#pragma once

#include "observe/host_files.h"
#include "record/recording.h"

namespace aaco {

// The counters since each group was made, now.
QuotaFacts read_quota(const HostFiles& host);

// What was counted between two readings. Not available where the process moved to other groups meanwhile.
QuotaFacts quota_between(const QuotaFacts& before, const QuotaFacts& after);

}  // namespace aaco
