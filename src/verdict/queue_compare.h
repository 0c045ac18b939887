// SPDX-License-Identifier: MIT
// Did a workload become slower? Two documents of `aaco queue` (a run, or a sweep), paired by configuration; each pair
// is judged as two runs are (compare.h). What is compared is the time per unit of work.
#pragma once

#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "verdict/compare.h"

namespace aaco {

struct QueueComparison {
  std::string configuration;  // "hetero_kernels, 8 streams, dispatch single, sync per_iteration"
  Comparison comparison;
};

struct QueueComparisons {
  std::vector<QueueComparison> pairs;
  std::vector<std::string> unpaired;  // configurations that only one side has
};

// The runs of a document. Errors: kUsage naming `source` for what is no such document, or holds what no run can give.
Result<std::vector<RunSample>> queue_samples(const Json& document, const std::string& source);

// Pure. Of two runs of the same configuration on one side the first counts.
QueueComparisons compare_queues(const std::vector<RunSample>& baseline, const std::vector<RunSample>& test,
                                const CompareOptions& options);

// 1 where one regressed; else 4 where one is inconclusive or invalid, or nothing could be paired; else 0.
int exit_code_of(const QueueComparisons& comparisons, bool allow_inconclusive);

void to_json(Json& json, const QueueComparisons& comparisons);

}  // namespace aaco
