// SPDX-License-Identifier: MIT
// What a device did in each of several recorded steps that are all alike.
#pragma once

#include <vector>

#include "analysis/timeline/device_work.h"
#include "base/result.h"

namespace aaco {

// By step, in the order of start: as many records of each stream in every step, and as many of each kind and name.
// Errors: kInvalid naming what differs.
Result<std::vector<std::vector<DeviceSlice>>> slices_by_step(const EventTable& events, const DeviceWork& work,
                                                             int64_t steps);

}  // namespace aaco
