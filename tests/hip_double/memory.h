// SPDX-License-Identifier: MIT
// What was allocated from the double: memory of the host that belongs to a device or is pinned. New memory is filled
// with NaN.
#pragma once

#include <cstddef>
#include <vector>

#include "machine.h"

namespace aaco::hip_double {

inline constexpr int kHost = -1;
inline constexpr int kNobody = -2;

hipError_t allocate(void** memory, size_t bytes, int device);  // or kHost
hipError_t free_memory(void* memory, bool host);
// The device whose memory this points into, or kHost; kNobody where it is none that was allocated here.
int owner_of(const void* memory);

struct AllocatedRange {
  void* memory = nullptr;
  size_t bytes = 0;
  int device = kHost;
};
std::vector<AllocatedRange> allocated_ranges();  // all there are now

// hipErrorInvalidValue where the range begins in an allocation and ends beyond it, or where `kind` wants the memory of
// a device and it is not. What is no allocation at all is pageable memory of the host.
hipError_t check_range(const void* memory, size_t bytes, bool must_be_device);

}  // namespace aaco::hip_double
