// SPDX-License-Identifier: MIT
#include "analysis/timeline/time_budget.h"

#include <algorithm>
#include <vector>

namespace aaco {

TimeBudget time_budget(std::span<const DeviceSlice> slices) {
  TimeBudget budget;
  if (slices.empty()) {
    return budget;
  }
  budget.window = slices.front().span;
  std::array<std::vector<Span>, kWorkClasses> spans;
  for (const DeviceSlice& slice : slices) {
    const auto at = static_cast<size_t>(slice.work);
    spans[at].push_back(slice.span);
    ++budget.slices[at];
    budget.slice_sum_ns[at] = saturating_sum(budget.slice_sum_ns[at], slice.span.end_ns - slice.span.start_ns);
    budget.window.start_ns = std::min(budget.window.start_ns, slice.span.start_ns);
    budget.window.end_ns = std::max(budget.window.end_ns, slice.span.end_ns);
  }
  const auto set_of = [&](WorkClass work) { return union_of(spans[static_cast<size_t>(work)]); };
  budget.computation = set_of(WorkClass::kComputation);
  const SpanSet communication = set_of(WorkClass::kCommunication);
  const SpanSet copy = set_of(WorkClass::kCopy);
  budget.exposed_communication = subtract(communication, budget.computation);
  const SpanSet above_copy = unite(budget.computation, communication);
  budget.exposed_copy = subtract(copy, above_copy);
  budget.idle = subtract({budget.window}, unite(above_copy, copy));
  budget.communication_ns = length_ns(communication);
  budget.copy_ns = length_ns(copy);
  budget.hidden_communication_ns = length_ns(intersect(communication, budget.computation));
  return budget;
}

}  // namespace aaco
