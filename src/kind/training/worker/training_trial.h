// SPDX-License-Identifier: MIT
// Whether a device trains and its profiler sees it: a few steps, in no time, in this process.
#pragma once

#include <string>

#include "base/result.h"

namespace aaco {

struct TrainingTrial {
  int64_t steps = 0;
  double first_loss = 0;
  double last_loss = 0;
  int64_t operations = 0;        // of a step
  double recorded_per_step = 0;  // kernels, by the device's own records
};

// Of the nano preset's version 1 in fp32. Errors: kUnavailable where there is no such device or no collector; the
// device's.
Result<TrainingTrial> try_training(const std::string& device);

}  // namespace aaco
