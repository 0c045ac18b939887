// SPDX-License-Identifier: MIT
// How much of what a device ran only moved or set memory.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/timeline/device_work.h"

namespace aaco {

// Copies and memory sets among all slices.
struct MemoryOperations {
  uint64_t count = 0;
  uint64_t slices = 0;
  int64_t sum_ns = 0;  // of durations
  int64_t slice_sum_ns = 0;
};

MemoryOperations memory_operations(const EventTable& events, std::span<const DeviceSlice> slices);

}  // namespace aaco
