// SPDX-License-Identifier: MIT
#include "analysis/timeline/memory/memory_operations.h"

#include "record/intervals.h"

namespace aaco {

MemoryOperations memory_operations(const EventTable& events, std::span<const DeviceSlice> slices) {
  MemoryOperations operations;
  operations.slices = slices.size();
  for (const DeviceSlice& slice : slices) {
    const int64_t duration_ns = events.duration_ns[slice.event];
    operations.slice_sum_ns = saturating_sum(operations.slice_sum_ns, duration_ns);
    if (events.kind[slice.event] != EventKind::kKernel) {
      ++operations.count;
      operations.sum_ns = saturating_sum(operations.sum_ns, duration_ns);
    }
  }
  return operations;
}

}  // namespace aaco
