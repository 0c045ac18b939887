// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cli/session_comparer.h"

namespace aaco {

namespace {

// What has no iterations, as a sweep or a trace, is compared as a run and found to be not comparable.
constexpr SessionComparer kComparers[] = {
    {&session_kind::kRun, "aaco run", compare_as_runs},
    {&session_kind::kSweep, "aaco sweep", compare_as_runs},
    {&session_kind::kQueueRun, "aaco queue", compare_as_queues, true},
    {&session_kind::kQueueSweep, "aaco queue", compare_as_queues, true},
    {&session_kind::kQueueProbe, "aaco queue", compare_as_queues},
    {&session_kind::kTrace, "aaco trace", compare_as_runs},
};

}  // namespace

std::span<const SessionComparer> session_comparers() { return kComparers; }

const SessionComparer* session_comparer(const SessionKind& kind) {
  const auto found = std::find_if(std::begin(kComparers), std::end(kComparers),
                                  [&](const SessionComparer& comparer) { return comparer.kind == &kind.traits(); });
  return found == std::end(kComparers) ? nullptr : found;
}

}  // namespace aaco
