// SPDX-License-Identifier: MIT
// How much a CPU quota held the run up, which is no competition for processors: nobody else had them.
#pragma once

#include <vector>

#include "analysis/model_run/context.h"

namespace aaco {

// Share of the steady time in which a quota stopped the process, 0 to 1; none where that was not recorded.
std::optional<double> quota_share(const RunFacts& facts, const ProcessFacts& process);

// The groups with a quota, their counters summed over the measuring processes, the most throttled first.
std::vector<QuotaGroup> quota_groups(const RunFacts& facts);

// "cpu.max is 50000 100000 (/sys/fs/cgroup/x), throttled in 140 of 143 periods".
std::string quota_words(const QuotaGroup& group);

// Why no measuring process recorded it; "" where one did.
std::string quota_unavailable(const RunFacts& facts);

// quota_throttled_share, quota_throttled_periods.
std::vector<MetricValue> quota_metrics(const Context& context);

}  // namespace aaco
