// SPDX-License-Identifier: MIT
// How fast a device copies within its own memory: the roof of what is bound by bytes.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "device/device.h"

namespace aaco {

struct CopyRate {
  int64_t bytes = 0;  // of the array
  double ns = 0;      // of one copy: the fastest of several

  // Read and written.
  double bytes_per_s() const { return 2 * static_cast<double>(bytes) / (ns / 1e9); }
};

// Of an array that no cache holds: 256 MiB on a CPU, 1 GiB on a GPU. Errors: the device's.
Result<CopyRate> measure_copy_rate(Device& device);

}  // namespace aaco
