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
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "device/gpu/hip/rocprofiler/hip_calls.h"
#include "device/gpu/hip/rocprofiler/rocprofiler_api.h"
#include "observer.h"

namespace aaco::hip_double {
namespace {

constexpr uint64_t kAheadNs = 3'600'000'000'000;
constexpr uint64_t kFirstAgent = 900;  // of device 0
constexpr uint64_t kFirstQueue = 70;
constexpr auto kDelay = std::chrono::milliseconds(1);

int from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::stoi(value) : 0;
}

struct Callback {
  rocprofiler_callback_tracing_cb_t function = nullptr;
  void* data = nullptr;
  std::vector<rocprofiler_tracing_operation_t> operations;  // none: all
};

struct Record {
  rocprofiler_buffer_tracing_kind_t kind;
  std::vector<char> payload;
};

// Everything is of one context and one buffer.
struct Profiler {
  std::atomic<bool> configuring = false;
  std::atomic<bool> configured = false;
  std::atomic<bool> started = false;
  std::map<int, Callback> callbacks;  // written while configuring
  std::map<int, bool> buffered;
  rocprofiler_buffer_tracing_cb_t deliver = nullptr;
  void* deliver_data = nullptr;

  std::mutex mutex;  // of what follows
  std::vector<Record> records;
  std::map<uint64_t, int> holds;  // by correlation: the call itself, and its work
  std::map<std::string, uint64_t> kernels;
  std::deque<std::pair<std::chrono::steady_clock::time_point, std::function<void()>>> coming;
  std::condition_variable changed;
  uint64_t correlations = 0;
  uint64_t dispatches = 0;
  uint64_t dropped = 0;
  std::optional<std::thread> courier;

  std::mutex flushing;
};

Profiler& profiler() {
  static auto* const here = new Profiler;  // outlives its thread
  return *here;
}

// Under the lock.
template <class Data>
void store(rocprofiler_buffer_tracing_kind_t kind, Data data) {
  Profiler& here = profiler();
  if (!here.started || !here.buffered[kind]) {
    return;
  }
  data.size = sizeof(data);
  data.kind = kind;
  const auto* bytes = reinterpret_cast<const char*>(&data);
  here.records.push_back({kind, std::vector<char>(bytes, bytes + sizeof(data))});
}

// Under the lock. In order, since each waits as long.
void later(std::function<void()> what) {
  Profiler& here = profiler();
  here.coming.emplace_back(std::chrono::steady_clock::now() + kDelay, std::move(what));
  here.changed.notify_all();
}

void carry() {
  Profiler& here = profiler();
  std::unique_lock lock(here.mutex);
  while (true) {
    here.changed.wait(lock, [&] { return !here.coming.empty(); });
    const auto due = here.coming.front().first;
    here.changed.wait_until(lock, due, [&] { return std::chrono::steady_clock::now() >= due; });
    here.coming.front().second();
    here.coming.pop_front();
  }
}

void let_go(uint64_t correlation) {
  if (--profiler().holds[correlation] == 0) {
    aaco::gpu::RocprofilerRetirement record{};
    record.correlation = correlation;
    store(ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT, record);
    profiler().holds.erase(correlation);
  }
}

void tell(int kind, rocprofiler_tracing_operation_t operation, rocprofiler_callback_phase_t phase, void* payload,
          uint64_t correlation = 0, rocprofiler_user_data_t* user = nullptr) {
  const auto found = profiler().callbacks.find(kind);
  if (found == profiler().callbacks.end() || !profiler().started) {
    return;
  }
  const auto& wanted = found->second.operations;
  if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), operation) == wanted.end()) {
    return;
  }
  rocprofiler_callback_tracing_record_t record{};
  record.kind = static_cast<rocprofiler_callback_tracing_kind_t>(kind);
  record.operation = operation;
  record.phase = phase;
  record.payload = payload;
  record.correlation_id.internal = correlation;
  record.thread_id = static_cast<uint64_t>(::syscall(SYS_gettid));
  rocprofiler_user_data_t none{};
  found->second.function(record, user != nullptr ? user : &none, found->second.data);
}

struct CallUnderWay {
  rocprofiler_user_data_t user{};
  rocprofiler_callback_tracing_hip_api_data_t data{};
};
std::vector<CallUnderWay>& calls_under_way() {
  thread_local std::vector<CallUnderWay> calls;
  return calls;
}

const aaco::gpu::HipCall* call_named(const char* function) {
  for (const aaco::gpu::HipCall& call : aaco::gpu::kHipCalls) {
    if (std::strcmp(call.name, function) == 0) {
      return &call;
    }
  }
  return nullptr;
}

// Where each call's structure has its stream.
void set_stream(rocprofiler_hip_api_args_t& args, int id, hipStream_t stream) {
  switch (id) {
    case ROCPROFILER_HIP_RUNTIME_API_ID_hipLaunchKernel:
      args.hipLaunchKernel.stream = stream;
      break;
    case ROCPROFILER_HIP_RUNTIME_API_ID_hipExtModuleLaunchKernel:
      args.hipExtModuleLaunchKernel.stream = stream;
      break;
    case ROCPROFILER_HIP_RUNTIME_API_ID_hipMemcpyAsync:
      args.hipMemcpyAsync.stream = stream;
      break;
    case ROCPROFILER_HIP_RUNTIME_API_ID_hipMemsetAsync:
      args.hipMemsetAsync.stream = stream;
      break;
    case ROCPROFILER_HIP_RUNTIME_API_ID_hipGraphLaunch:
      args.hipGraphLaunch.stream = stream;
      break;
    case ROCPROFILER_HIP_RUNTIME_API_ID_hipStreamSynchronize:
      args.hipStreamSynchronize.stream = stream;
      break;
    default:
      break;
  }
}

uint64_t begin_call(const char* function, hipStream_t stream) {
  uint64_t correlation = 0;
  {
    const std::lock_guard lock(profiler().mutex);
    correlation = ++profiler().correlations;
    profiler().holds[correlation] = 1;
  }
  calls_under_way().emplace_back();
  CallUnderWay& under_way = calls_under_way().back();
  if (const auto* call = call_named(function); call != nullptr) {
    set_stream(under_way.data.args, call->id, stream);
    tell(ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, call->id, ROCPROFILER_CALLBACK_PHASE_ENTER, &under_way.data,
         correlation, &under_way.user);
  }
  return correlation;
}

void end_call(uint64_t correlation, const char* function, hipStream_t /*stream*/) {
  CallUnderWay under_way = calls_under_way().back();
  calls_under_way().pop_back();
  if (const auto* call = call_named(function); call != nullptr) {
    tell(ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, call->id, ROCPROFILER_CALLBACK_PHASE_EXIT, &under_way.data,
         correlation, &under_way.user);
  }
  const std::lock_guard lock(profiler().mutex);
  later([correlation] { let_go(correlation); });
}

void hold(uint64_t correlation) {
  const std::lock_guard lock(profiler().mutex);
  ++profiler().holds[correlation];
}

void release(uint64_t correlation) {
  const std::lock_guard lock(profiler().mutex);
  later([correlation] { let_go(correlation); });
}

// As HIP loads code when it is first needed.
uint64_t number_of(const std::string& kernel) {
  uint64_t number = 0;
  {
    const std::lock_guard lock(profiler().mutex);
    uint64_t& known = profiler().kernels[kernel];
    if (known != 0) {
      return known;
    }
    number = known = profiler().kernels.size();
  }
  if (from_environment("AACO_ROCPROFILER_DOUBLE_MUTE") == 0) {
    const std::string symbol = kernel + ".kd";
    rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t data{};
    data.size = sizeof(data);
    data.kernel_id = number;
    data.kernel_name = symbol.c_str();
    tell(ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT, ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER,
         ROCPROFILER_CALLBACK_PHASE_LOAD, &data);
  }
  return number;
}

rocprofiler_agent_id_t agent_of(int device) { return {kFirstAgent + static_cast<uint64_t>(device)}; }

void add_kernel(uint64_t correlation, const Executed& work, uint64_t number) {
  rocprofiler_buffer_tracing_kernel_dispatch_record_t record{};
  record.operation = ROCPROFILER_KERNEL_DISPATCH_COMPLETE;
  record.correlation_id.internal = correlation;
  record.start_timestamp = static_cast<uint64_t>(work.start_ns) + kAheadNs;
  record.end_timestamp = static_cast<uint64_t>(work.end_ns) + kAheadNs;
  record.dispatch_info.agent_id = agent_of(work.device);
  record.dispatch_info.queue_id.handle = kFirstQueue + static_cast<uint64_t>(work.device);
  record.dispatch_info.kernel_id = number;
  record.dispatch_info.dispatch_id = ++profiler().dispatches;
  if (static_cast<int>(profiler().dispatches) == from_environment("AACO_ROCPROFILER_DOUBLE_LOSE")) {
    ++profiler().holds[correlation];  // for good
  } else if (static_cast<int>(profiler().dropped) < from_environment("AACO_ROCPROFILER_DOUBLE_DROP")) {
    ++profiler().dropped;
  } else {
    store(ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH, record);
  }
}

void add_copy(uint64_t correlation, const Executed& work) {
  aaco::gpu::RocprofilerCopy record{};
  record.operation = work.direction == hipMemcpyHostToDevice     ? ROCPROFILER_MEMORY_COPY_HOST_TO_DEVICE
                     : work.direction == hipMemcpyDeviceToHost   ? ROCPROFILER_MEMORY_COPY_DEVICE_TO_HOST
                     : work.direction == hipMemcpyDeviceToDevice ? ROCPROFILER_MEMORY_COPY_DEVICE_TO_DEVICE
                                                                 : ROCPROFILER_MEMORY_COPY_HOST_TO_HOST;
  record.correlation_id.internal = correlation;
  record.start_timestamp = static_cast<uint64_t>(work.start_ns) + kAheadNs;
  record.end_timestamp = static_cast<uint64_t>(work.end_ns) + kAheadNs;
  const rocprofiler_agent_id_t host{1};
  record.to_agent = work.direction == hipMemcpyDeviceToHost ? host : agent_of(work.device);
  record.from_agent = work.direction == hipMemcpyHostToDevice ? host : agent_of(work.device);
  record.bytes = work.bytes;
  store(ROCPROFILER_BUFFER_TRACING_MEMORY_COPY, record);
}

// Work of no call that is traced has a correlation of its own.
void executed(uint64_t correlation, const Executed& work) {
  const uint64_t number = work.kernel.empty() ? 0 : number_of(work.kernel);
  const std::lock_guard lock(profiler().mutex);
  const uint64_t call = correlation != 0 ? correlation : ++profiler().correlations;
  later([call, work, number] {
    if (work.kernel.empty()) {
      add_copy(call, work);
    } else {
      add_kernel(call, work, number);
    }
  });
}

}  // namespace
}  // namespace aaco::hip_double

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
  profiler().courier.emplace(carry);
  profiler().courier->detach();
  *static_cast<Observer*>(tables[0]) = {begin_call, end_call, hold, release, executed};
  tell(ROCPROFILER_CALLBACK_TRACING_RUNTIME_INITIALIZATION, ROCPROFILER_RUNTIME_INITIALIZATION_HIP,
       ROCPROFILER_CALLBACK_PHASE_NONE, nullptr);
  return 0;
}

}  // extern "C"
