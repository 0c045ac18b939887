// SPDX-License-Identifier: MIT
// What a device did in each of several recorded steps that are all alike.
#pragma once

#include <vector>

#include "analysis/timeline/device_work.h"
#include "base/result.h"

namespace aaco {

// By step, in the order of start: of each stream the same number in every step. Errors: kInvalid naming the stream
// whose number no such number divides.
Result<std::vector<std::vector<DeviceSlice>>> slices_by_step(const EventTable& events, const DeviceWork& work,
                                                             int64_t steps);

}  // namespace aaco
