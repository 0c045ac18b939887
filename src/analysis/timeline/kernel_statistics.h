// SPDX-License-Identifier: MIT
// What ran on the device, taken together by name.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/timeline/device_work.h"

namespace aaco {

struct KernelStatistics {
  StringId name = kEmptyString;
  WorkClass work = WorkClass::kComputation;
  uint64_t count = 0;
  int64_t total_ns = 0;
  int64_t min_ns = 0;
  int64_t median_ns = 0;  // the lower of the two middle ones of an even count
  int64_t max_ns = 0;
};

// Of slices of `events`, longest total first; names in order of appearance where totals are equal.
std::vector<KernelStatistics> kernel_statistics(const EventTable& events, std::span<const DeviceSlice> slices);

}  // namespace aaco
