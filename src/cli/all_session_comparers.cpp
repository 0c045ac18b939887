// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cli/session_comparer.h"

namespace aaco {

namespace {

// What has no iterations, as a sweep or a trace, is compared as a run and found to be not comparable.
constexpr SessionComparer kComparers[] = {
    {&session_kind::kRun, compare_as_runs},
    {&session_kind::kSweep, compare_as_runs},
    {&session_kind::kQueueRun, compare_as_queues},
    {&session_kind::kQueueSweep, compare_as_queues},
    {&session_kind::kQueueProbe, compare_as_queues},
    {&session_kind::kTraining, compare_as_trainings},
    {&session_kind::kTrainingStudy, compare_as_studies},
    {&session_kind::kOverlap, compare_as_runs},
    {&session_kind::kCopyOverlap, compare_as_copies},
    {&session_kind::kOverlapSweep, compare_as_overlap_sweeps},
    {&session_kind::kTrace, compare_as_runs},
};

}  // namespace

std::span<const SessionComparer> session_comparers() { return kComparers; }

const SessionComparer* session_comparer(const SessionKind& kind) {
  const auto found = std::find_if(std::begin(kComparers), std::end(kComparers),
                                  [&](const SessionComparer& comparer) { return comparer.kind == &kind.traits(); });
  return found == std::end(kComparers) ? nullptr : found;
}

}  // namespace aaco
