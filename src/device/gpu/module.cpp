// SPDX-License-Identifier: MIT
// The module's table and its one exported function.
#include "device/gpu/failure.h"
#include "device/gpu/module_functions.h"
#include "device/gpu/vendor_runtime.h"

extern "C" __attribute__((visibility("default"))) const aaco::AacoModule* aaco_module() {
  static const aaco::AacoModule table{
      .version = aaco::kModuleApiVersion,
      .op_count = aaco::kOpCount,
      .backend = aaco::gpu::kBackend,
      .failure = aaco::gpu::failure_text,
      .device_count = aaco::gpu::device_count,
      .device_open = aaco::gpu::device_open,
      .memory_free = aaco::gpu::memory_free,
      .library_memory = aaco::gpu::library_memory,
      .allocate = aaco::gpu::allocate,
      .release = aaco::gpu::release,
      .enable_peer = aaco::gpu::enable_peer,
      .device_synchronize = aaco::gpu::device_synchronize,
      .stream_make = aaco::gpu::stream_make,
      .stream_free = aaco::gpu::stream_free,
      .stream_synchronize = aaco::gpu::stream_synchronize,
      .launch = aaco::gpu::launch_op,
      .copy = aaco::gpu::copy,
      .set = aaco::gpu::set,
      .event_make = aaco::gpu::event_make,
      .event_free = aaco::gpu::event_free,
      .event_record = aaco::gpu::event_record,
      .event_wait = aaco::gpu::event_wait,
      .event_synchronize = aaco::gpu::event_synchronize,
      .event_elapsed_ns = aaco::gpu::event_elapsed_ns,
      .capture_begin = aaco::gpu::capture_begin,
      .capture_end = aaco::gpu::capture_end,
      .graph_launch = aaco::gpu::graph_launch,
      .graph_free = aaco::gpu::graph_free,
      .communicator_make = aaco::gpu::communicator_make,
      .communicator_id = aaco::gpu::communicator_id,
      .communicator_join = aaco::gpu::communicator_join,
      .communicator_free = aaco::gpu::communicator_free,
      .memory_register = aaco::gpu::memory_register,
      .memory_unregister = aaco::gpu::memory_unregister,
      .collective = aaco::gpu::collective,
      .collector_start = aaco::gpu::collector_start,
      .collector_flush = aaco::gpu::collector_flush,
      .collector_stop = aaco::gpu::collector_stop,
  };
  return &table;
}
