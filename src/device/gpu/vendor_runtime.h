// SPDX-License-Identifier: MIT
// What the runtimes of the two vendors do differently; gpu/cuda/runtime.cpp and gpu/hip/runtime.cpp define it.
#pragma once

#include <string>

#include "device/gpu/stream_context.h"
#include "device/module_api.h"

namespace aaco::gpu {

extern const char* const kBackend;  // "cuda", "hip"
extern const gpuError_t kOutOfMemory;
extern const gpuError_t kDriverTooOld;

struct LibraryRequest;
extern const LibraryRequest kCollectives;  // NCCL, RCCL
extern const char* const kCollectivesName;

// Seen by every device, and coherent: a kernel that polls it sees what the host writes.
gpuError_t allocate_pinned(void** memory, size_t bytes);
gpuError_t free_pinned(void* memory);
extern const char* const kFreePinnedName;  // the vendor's
// All but the priorities and the libraries.
gpuError_t describe_device(int32_t index, DeviceLimits& limits, AacoDeviceProperties& properties);
// As the vendor's activity records name the stream.
gpuError_t id_of_stream(gpuStream_t stream, uint64_t* id);

}  // namespace aaco::gpu
