// SPDX-License-Identifier: MIT
// The functions of the module's table (device/module_api.h says what each does), by the file that defines them.
#pragma once

#include "device/module_api.h"

namespace aaco::gpu {

// device.cpp
int32_t device_count(int32_t* count) noexcept;
int32_t device_open(int32_t index, void** device, AacoDeviceProperties* properties) noexcept;
int32_t memory_free(void* device, int64_t* free_bytes, int64_t* total_bytes) noexcept;
int64_t library_memory(void* device) noexcept;
int32_t allocate(void* device, size_t bytes, int32_t kind, void** memory) noexcept;
int32_t release(void* device, int32_t kind, void* memory) noexcept;
int32_t enable_peer(void* device, void* peer) noexcept;
int32_t device_synchronize(void* device) noexcept;

// stream.cpp
int32_t stream_make(void* device, int32_t priority, void** stream, uint64_t* native_id) noexcept;
int32_t stream_free(void* stream) noexcept;
int32_t stream_synchronize(void* stream) noexcept;
int32_t launch_op(void* stream, uint32_t op, const void* args) noexcept;
int32_t copy(void* stream, void* to, const void* from, size_t bytes) noexcept;
int32_t set(void* stream, void* to, int32_t value, size_t bytes) noexcept;

// event.cpp
int32_t event_make(void* device, int32_t timing, void** event) noexcept;
int32_t event_free(void* event) noexcept;
int32_t event_record(void* event, void* stream) noexcept;
int32_t event_wait(void* event, void* stream) noexcept;
int32_t event_synchronize(void* event) noexcept;
int32_t event_elapsed_ns(void* from, void* to, double* ns) noexcept;

// graph.cpp
int32_t capture_begin(void* stream) noexcept;
int32_t capture_end(void* stream, void** graph, int64_t* kernels) noexcept;
int32_t graph_launch(void* graph, void* stream) noexcept;
int32_t graph_free(void* graph) noexcept;

// communicator.cpp
int32_t communicator_make(void* const* devices, int32_t count, void** communicator, char* library,
                          size_t size) noexcept;
int32_t communicator_id(void* id, size_t size) noexcept;
int32_t communicator_join(void* device, const void* id, size_t id_size, int32_t rank, int32_t ranks,
                          const AacoCommunicatorOptions* options, void** communicator, char* library,
                          size_t size) noexcept;
int32_t communicator_free(void* communicator) noexcept;
int32_t memory_register(void* communicator, void* memory, size_t bytes, void** registration) noexcept;
int32_t memory_unregister(void* registration) noexcept;

// collective.cpp
int32_t collective(void* communicator, int32_t collective, const AacoCollectivePart* parts, int64_t count,
                   int32_t dtype) noexcept;

// cuda/collector.cpp, hip/collector.cpp
int32_t collector_start(const AacoSink* sink, void** collector) noexcept;
int32_t collector_flush(void* collector) noexcept;
int32_t collector_stop(void* collector) noexcept;

}  // namespace aaco::gpu
