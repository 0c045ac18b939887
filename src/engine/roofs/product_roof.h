// SPDX-License-Identifier: MIT
// How fast a device multiplies matrices: the ceiling that a training step's arithmetic is held against.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "engine/roofs/device_roof.h"
#include "workload/parameters.h"

namespace aaco {

// Square products of random values, at several sizes, each repeated for a quarter of a second: the fastest. Errors: the
// device's.
Result<ProductRoof> measure_product_roof(Device& device, Precision precision, const std::string& precision_name);

// One of each size, in their order, each repeated for `full_ns`. Errors: the device's.
Result<std::vector<ProductRoof>> measure_products(Device& device, Precision precision,
                                                  const std::string& precision_name, std::span<const int64_t> sizes,
                                                  int64_t full_ns);

}  // namespace aaco
