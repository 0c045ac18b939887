// SPDX-License-Identifier: MIT
// What the rest of the CUDA module asks of CUPTI.
#pragma once

#include <cstdint>

#include "device/gpu/vendor.h"

namespace aaco::gpu {

// The number by which CUPTI's records name the stream while a collector runs, else CUDA's.
gpuError_t id_in_activity(gpuStream_t stream, uint64_t* id);

}  // namespace aaco::gpu
