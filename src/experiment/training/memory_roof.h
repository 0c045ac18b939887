// SPDX-License-Identifier: MIT
// How fast a device's memory is: the ceiling that what a training step moves is held against.
#pragma once

#include <optional>

#include "analysis/training/training_figures.h"
#include "base/result.h"
#include "device/device.h"
#include "experiment/run_request.h"

namespace aaco {

// Of arrays of that many bytes each, far more than caches hold: the fastest of a copy and of a sum of two. Errors: the
// device's.
Result<MemoryRoof> measure_memory_roof(Device& device, int64_t array_bytes);

// Of this machine's processors: the triad that was measured and kept for as many threads as they have, else, where
// `measure` says so, measured now and kept, unless other programs were busy meanwhile. None where it is not known.
// Errors: kInterrupted.
Result<std::optional<MemoryRoof>> host_memory_roof(bool measure, const ProgressCallback& progress);

}  // namespace aaco
