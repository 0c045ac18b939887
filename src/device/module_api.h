// SPDX-License-Identifier: MIT
// The boundary between aaco and a vendor's module (libaaco_cuda.so, libaaco_hip.so): one C table, obtained by
// aaco_module(). Plain data only; no exception and no ownership of memory crosses. Handles are made and freed by the
// module. A function returns 0, or a failure whose text aaco_failure() of the same thread gives.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/ops/op_list.h"
#include "record/device/activity_record.h"

namespace aaco {

inline constexpr uint32_t kModuleApiVersion = 11;
inline constexpr const char* kModuleEntry = "aaco_module";

extern "C" {

// 1: the device or the driver failed; 2: out of memory; 3: not available; 4: the caller's mistake.
enum AacoStatus : int32_t { kAacoOk = 0, kAacoDevice = 1, kAacoMemory = 2, kAacoUnavailable = 3, kAacoUsage = 4 };

struct AacoDeviceProperties {
  char name[256];
  char architecture[64];
  char driver[64];
  char runtime[64];
  char gemm_library[64];
  char conv_library[64];
  int64_t memory_bytes;
  int32_t compute_units;
  int32_t wave_lanes;
  int32_t lowest_priority;
  int32_t highest_priority;
  char pci[32];  // "0000:1b:00.0"; "" where it is no PCI device
  ComputeUnitLimits compute_unit;
};

struct AacoSink {
  void* self;
  void (*push)(void* self, const ActivityRecord* records, size_t count);
  uint32_t (*intern)(void* self, const char* name, size_t length);
  void (*dropped)(void* self, uint64_t count);
};

struct AacoCollectivePart {
  void* stream;
  const void* send;
  void* receive;
};

// How a communicator is to be; 0: as the library chooses.
struct AacoCommunicatorOptions {
  int32_t copy_engine;   // copy engines do what they can, where the library has that
  int32_t least_blocks;  // of a kernel: thread blocks, which the library calls CTAs or channels
  int32_t most_blocks;
  int32_t nonblocking;       // no call waits for other ranks without a limit; each collective costs a thread's start
  int32_t registers_memory;  // memory_register() will be called: multicast is off, unless NCCL_NVLS_ENABLE is set
};

// Of memory. kAacoCollectiveMemory: of a device, from the library for collectives, so that it can be registered.
enum AacoMemoryKind : int32_t { kAacoDeviceMemory = 0, kAacoPinnedMemory = 1, kAacoCollectiveMemory = 2 };

struct AacoModule {
  uint32_t version;          // kModuleApiVersion
  uint32_t op_count;         // kOpCount
  const char* backend;       // "cuda"
  const char* (*failure)();  // of the calling thread: the call, its code decoded, file and line

  int32_t (*device_count)(int32_t* count);
  int32_t (*device_open)(int32_t index, void** device, AacoDeviceProperties* properties);
  int32_t (*memory_free)(void* device, int64_t* free_bytes, int64_t* total_bytes);
  int64_t (*library_memory)(void* device);  // bytes that the module got for its libraries' use, now
  int32_t (*allocate)(void* device, size_t bytes, int32_t kind, void** memory);
  int32_t (*release)(void* device, int32_t kind, void* memory);
  int32_t (*enable_peer)(void* device, void* peer);
  int32_t (*device_synchronize)(void* device);

  int32_t (*stream_make)(void* device, int32_t priority, void** stream, uint64_t* native_id);
  int32_t (*stream_free)(void* stream);
  int32_t (*stream_synchronize)(void* stream);
  int32_t (*launch)(void* stream, uint32_t op, const void* args);
  int32_t (*copy)(void* stream, void* to, const void* from, size_t bytes);
  int32_t (*set)(void* stream, void* to, int32_t value, size_t bytes);

  int32_t (*event_make)(void* device, int32_t timing, void** event);
  int32_t (*event_free)(void* event);
  int32_t (*event_record)(void* event, void* stream);
  int32_t (*event_wait)(void* event, void* stream);
  int32_t (*event_synchronize)(void* event);
  int32_t (*event_elapsed_ns)(void* from, void* to, double* ns);

  int32_t (*capture_begin)(void* stream);
  int32_t (*capture_end)(void* stream, void** graph, int64_t* kernels);
  int32_t (*graph_launch)(void* graph, void* stream);
  int32_t (*graph_free)(void* graph);

  int32_t (*communicator_make)(void* const* devices, int32_t count, void** communicator, char* library, size_t size);
  // Of ranks that are a process each: `id` is made by one of them, and `size` bytes long, of which 128 are needed.
  // Where the library notices later that a rank has gone, the communicator is aborted, and all streams of its devices
  // fail.
  int32_t (*communicator_id)(void* id, size_t size);
  int32_t (*communicator_join)(void* device, const void* id, size_t id_size, int32_t rank, int32_t ranks,
                               const AacoCommunicatorOptions* options, void** communicator, char* library, size_t size);
  int32_t (*communicator_free)(void* communicator);
  // Memory of kind kAacoCollectiveMemory, for collectives by symmetric memory or copy engines. All ranks register
  // alike, in one order. Unregistered before the memory is released.
  int32_t (*memory_register)(void* communicator, void* memory, size_t bytes, void** registration);
  int32_t (*memory_unregister)(void* registration);
  int32_t (*collective)(void* communicator, int32_t collective, const AacoCollectivePart* parts, int64_t count,
                        int32_t dtype);

  int32_t (*collector_start)(const AacoSink* sink, void** collector);
  int32_t (*collector_flush)(void* collector);
  int32_t (*collector_stop)(void* collector);
};

// The module's only exported function.
using AacoModuleEntry = const AacoModule* (*)();

}  // extern "C"

}  // namespace aaco
