// SPDX-License-Identifier: MIT
// How fast a device's memory is: the ceiling that what a training step moves is held against.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "device/device.h"
#include "engine/progress.h"
#include "engine/roofs/device_roof.h"

namespace aaco {

// Of arrays of that many bytes each, far more than caches hold: the fastest of a copy and of a sum of two. Errors: the
// device's.
Result<MemoryRoof> measure_memory_roof(Device& device, int64_t array_bytes);

struct FoundMemoryRoof {
  std::optional<MemoryRoof> roof;
  std::string unavailable;  // why there is none
};

// Of one thread of this machine's processors, since a stream of the CPU device has one: the triad that was measured and
// kept for one thread, else, where `measure` says so, measured now and kept, unless other programs are busy. Errors: as
// host_roofs.
Result<FoundMemoryRoof> host_memory_roof(bool measure, const ProgressCallback& progress);

}  // namespace aaco
