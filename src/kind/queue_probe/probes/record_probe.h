// SPDX-License-Identifier: MIT
// Spin kernels of several lengths under the backend's collector, with the times that they write themselves. Needs a
// process of its own: the collector must be there before the backend's first call, and would be in the way of every
// other measurement.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "kind/queue_probe/analysis/record_check.h"

namespace aaco {

struct RecordProbe {
  int32_t kernels = 64;
  int64_t shortest_ns = 20'000;
  int64_t step_ns = 1'300;  // each is longer than the one before by this
};

// Errors: the device's. A backend that has no collector here is no error: the run says why.
Result<RecordRun> probe_records(const std::string& device, const RecordProbe& probe);

}  // namespace aaco
