// SPDX-License-Identifier: MIT
// Did a workload become slower? Two documents of `aaco queue` (a run, or a sweep), paired by configuration. What is
// compared is the time per unit of work.
#pragma once

#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "verdict/pair_comparisons.h"

namespace aaco {

// The runs of a document. Errors: kUsage naming `source` for what is no such document, or holds what no run can give.
Result<std::vector<RunSample>> queue_samples(const Json& document, const std::string& source);

// Pure. Of two runs of the same configuration on one side the first counts.
PairComparisons compare_queues(const std::vector<RunSample>& baseline, const std::vector<RunSample>& test,
                               const CompareOptions& options);

}  // namespace aaco
