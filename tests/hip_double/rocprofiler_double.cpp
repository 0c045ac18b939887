// SPDX-License-Identifier: MIT
// A double of rocprofiler-sdk 1 that is told by the double of HIP what it does (observer.h). Records arrive late, in a
// thread of their own, on a clock that is an hour ahead; streams are named by queues; agents come in another order than
// HIP's devices. AACO_HIP_DOUBLE_FAIL names its functions too; and from the environment:
//   AACO_ROCPROFILER_DOUBLE_DROP   so many records of kernels do not fit, and are counted
//   AACO_ROCPROFILER_DOUBLE_LOSE   the record of the N-th kernel never comes
//   AACO_ROCPROFILER_DOUBLE_SLEEP  after so many readings of the clock the machine sleeps for a second
//   AACO_ROCPROFILER_DOUBLE_PARTS  two agents share the place of the first device on the PCI bus
//   AACO_ROCPROFILER_DOUBLE_MUTE   kernels have no names
// Tests only.
#include "rocprofiler_double.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>

using namespace aaco::hip_double;

#define ROCPROFILER_DOUBLE_CALL()                                             \
  if (const int wanted = static_cast<int>(injected(__func__)); wanted != 0) { \
    return static_cast<rocprofiler_status_t>(wanted);                         \
  }
#define ROCPROFILER_DOUBLE_CONFIGURES()                   \
  ROCPROFILER_DOUBLE_CALL()                               \
  if (!profiler().configuring) {                          \
    return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED; \
  }

extern "C" {

rocprofiler_status_t rocprofiler_force_configure(rocprofiler_configure_func_t configure) {
  ROCPROFILER_DOUBLE_CALL();
  if (profiler().configured.exchange(true)) {
    return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
  }
  setenv("ROCPROFILER_REGISTER_FORCE_LOAD", "1", 1);
  rocprofiler_client_id_t client{sizeof(client), nullptr, 1};
  const auto* tool = configure(10201, "test double", 0, &client);
  if (tool != nullptr) {
    profiler().configuring = true;
    if (tool->initialize([](rocprofiler_client_id_t) {}, tool->tool_data) != 0) {
      profiler().started = false;
    }
    profiler().configuring = false;
  }
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_create_context(rocprofiler_context_id_t* context) {
  ROCPROFILER_DOUBLE_CONFIGURES();
  context->handle = 5;
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_start_context(rocprofiler_context_id_t /*context*/) {
  ROCPROFILER_DOUBLE_CALL();
  profiler().started = true;
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_create_buffer(rocprofiler_context_id_t /*context*/, size_t bytes, size_t watermark,
                                               rocprofiler_buffer_policy_t policy,
                                               rocprofiler_buffer_tracing_cb_t callback, void* data,
                                               rocprofiler_buffer_id_t* buffer) {
  ROCPROFILER_DOUBLE_CONFIGURES();
  if (watermark > bytes || policy != ROCPROFILER_BUFFER_POLICY_LOSSLESS) {
    return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  }
  profiler().deliver = callback;
  profiler().deliver_data = data;
  buffer->handle = 6;
  return ROCPROFILER_STATUS_SUCCESS;
}

// In a thread of rocprofiler's, while the caller waits.
rocprofiler_status_t rocprofiler_flush_buffer(rocprofiler_buffer_id_t buffer) {
  ROCPROFILER_DOUBLE_CALL();
  if (buffer.handle != 6) {
    return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
  }
  Profiler& here = profiler();
  const std::lock_guard flushing(here.flushing);
  std::vector<Record> records;
  uint64_t dropped = 0;
  {
    const std::lock_guard lock(here.mutex);
    records.swap(here.records);
    dropped = here.dropped;
  }
  std::vector<rocprofiler_record_header_t> headers(records.size());
  std::vector<rocprofiler_record_header_t*> pointers;
  for (size_t i = 0; i < records.size(); ++i) {
    headers[i].hash = rocprofiler_record_header_compute_hash(ROCPROFILER_BUFFER_CATEGORY_TRACING, records[i].kind);
    headers[i].payload = records[i].payload.data();
    pointers.push_back(&headers[i]);
  }
  if (!pointers.empty()) {
    std::thread([&] {
      here.deliver({5}, buffer, pointers.data(), pointers.size(), here.deliver_data, dropped);
    }).join();
  }
  return ROCPROFILER_STATUS_SUCCESS;
}

// The partial headers declare these two as functions of C++: defined under other names, with the symbols of C.
rocprofiler_status_t trace_to_buffer(
    rocprofiler_context_id_t context, rocprofiler_buffer_tracing_kind_t kind,
    const rocprofiler_tracing_operation_t* operations, size_t count,
    rocprofiler_buffer_id_t buffer) __asm__("rocprofiler_configure_buffer_tracing_service");
rocprofiler_status_t trace_by_callback(rocprofiler_context_id_t context, rocprofiler_callback_tracing_kind_t kind,
                                       const rocprofiler_tracing_operation_t* operations, size_t count,
                                       rocprofiler_callback_tracing_cb_t callback,
                                       void* data) __asm__("rocprofiler_configure_callback_tracing_service");

rocprofiler_status_t trace_to_buffer(rocprofiler_context_id_t /*context*/, rocprofiler_buffer_tracing_kind_t kind,
                                     const rocprofiler_tracing_operation_t* /*operations*/, size_t /*count*/,
                                     rocprofiler_buffer_id_t buffer) {
  ROCPROFILER_DOUBLE_CONFIGURES();
  if (buffer.handle != 6) {
    return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
  }
  profiler().buffered[kind] = true;
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t trace_by_callback(rocprofiler_context_id_t /*context*/, rocprofiler_callback_tracing_kind_t kind,
                                       const rocprofiler_tracing_operation_t* operations, size_t count,
                                       rocprofiler_callback_tracing_cb_t callback, void* data) {
  ROCPROFILER_DOUBLE_CONFIGURES();
  profiler().callbacks[kind] = {callback, data, std::vector(operations, operations + count)};
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_query_available_agents(rocprofiler_agent_version_t version,
                                                        rocprofiler_query_available_agents_cb_t callback,
                                                        size_t agent_bytes, void* data) {
  ROCPROFILER_DOUBLE_CALL();
  if (agent_bytes > sizeof(rocprofiler_agent_t)) {
    return ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI;
  }
  const int devices = static_cast<int>(machine().devices.size());
  std::vector<rocprofiler_agent_t> agents(static_cast<size_t>(devices) + 2);
  std::vector<const void*> pointers;
  agents.front().id.handle = 1;
  agents.front().type = ROCPROFILER_AGENT_TYPE_CPU;
  pointers.push_back(agents.data());
  for (int device = devices; device-- > 0;) {
    rocprofiler_agent_t& agent = agents.at(static_cast<size_t>(device) + 1);
    agent.id = agent_of(device);
    agent.type = ROCPROFILER_AGENT_TYPE_GPU;
    agent.location_id = static_cast<uint32_t>(0x40 + device) << 8;
    pointers.push_back(&agent);
  }
  if (from_environment("AACO_ROCPROFILER_DOUBLE_PARTS") != 0) {
    agents.back() = agents.at(1);
    agents.back().id.handle += 100;
    agents.back().location_id |= 1U << 28;
    pointers.push_back(&agents.back());
  }
  return callback(version, pointers.data(), pointers.size(), data);
}

rocprofiler_status_t rocprofiler_get_timestamp(rocprofiler_timestamp_t* now) {
  ROCPROFILER_DOUBLE_CALL();
  static std::atomic<int> readings = 0;
  const int until_sleep = from_environment("AACO_ROCPROFILER_DOUBLE_SLEEP");
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  *now = static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec) + kAheadNs;
  if (until_sleep > 0 && ++readings > until_sleep) {
    *now += 1'000'000'000;
  }
  return ROCPROFILER_STATUS_SUCCESS;
}

const char* rocprofiler_get_status_name(rocprofiler_status_t status) {
  switch (status) {
    case ROCPROFILER_STATUS_ERROR:
      return "ROCPROFILER_STATUS_ERROR";
    case ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED:
      return "ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED";
    case ROCPROFILER_STATUS_ERROR_PERMISSION_DENIED:
      return "ROCPROFILER_STATUS_ERROR_PERMISSION_DENIED";
    default:
      return nullptr;
  }
}

int rocprofiler_set_api_table(const char* name, uint64_t /*version*/, uint64_t /*instance*/, void** tables,
                              uint64_t /*count*/) {
  if (std::strcmp(name, "hsa") == 0) {
    tell(ROCPROFILER_CALLBACK_TRACING_RUNTIME_INITIALIZATION, ROCPROFILER_RUNTIME_INITIALIZATION_HSA,
         ROCPROFILER_CALLBACK_PHASE_NONE, nullptr);
    return 0;
  }
  *static_cast<Observer*>(tables[0]) = begin_observing();
  tell(ROCPROFILER_CALLBACK_TRACING_RUNTIME_INITIALIZATION, ROCPROFILER_RUNTIME_INITIALIZATION_HIP,
       ROCPROFILER_CALLBACK_PHASE_NONE, nullptr);
  return 0;
}

}  // extern "C"
