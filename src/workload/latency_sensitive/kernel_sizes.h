// SPDX-License-Identifier: MIT
// How large a kernel must be to take a given time on a device: by timing it there.
#pragma once

#include <functional>

#include "device/device.h"
#include "workload/parameters.h"

namespace aaco {

struct TimedSize {
  int64_t size = 0;
  double ns = 0;
};

struct SizeSearch {
  double target_ns = 0;
  int64_t first = 0;     // tried first
  int64_t multiple = 1;  // sizes are multiples of it
  int64_t most = 0;
  double power = 1;  // of the size, to which the time grows at last
};

// The tried size whose time is nearest to the target, as a ratio: it stops within 5 %, or where no other size is left
// to try. Errors: measure's.
Result<TimedSize> find_size(const SizeSearch& search, const std::function<Result<double>(int64_t)>& measure);

// Rows of square matrices, a multiple of 64, whose product takes target_ns alone on the device.
Result<TimedSize> product_size(Device& device, Precision precision, double target_ns);
// Elements, a multiple of 256, for which an element-wise fp32 kernel takes target_ns, of 20 that follow one another.
Result<TimedSize> element_count(Device& device, double target_ns);

}  // namespace aaco
