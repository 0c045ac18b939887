// SPDX-License-Identifier: MIT
// What the double of rocprofiler-sdk makes of what the double of HIP does. Tests only.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#include "device/gpu/hip/rocprofiler/hip_calls.h"
#include "rocprofiler_double.h"

namespace aaco::hip_double {
namespace {

constexpr uint64_t kFirstAgent = 900;  // of device 0
constexpr uint64_t kFirstQueue = 70;
constexpr auto kDelay = std::chrono::milliseconds(1);

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

void add_kernel(uint64_t correlation, const WorkRecord& work, uint64_t number) {
  rocprofiler_buffer_tracing_kernel_dispatch_record_t record{};
  record.operation = ROCPROFILER_KERNEL_DISPATCH_COMPLETE;
  record.correlation_id.internal = correlation;
  record.start_timestamp = static_cast<uint64_t>(work.start_ns) + kAheadNs;
  record.end_timestamp = static_cast<uint64_t>(work.end_ns) + kAheadNs;
  record.dispatch_info.agent_id = agent_of(work.device);
  record.dispatch_info.queue_id.handle = kFirstQueue + static_cast<uint64_t>(work.device);
  record.dispatch_info.kernel_id = number;
  record.dispatch_info.workgroup_size = {32, 4, 2};
  record.dispatch_info.group_segment_size = 4096;
  record.dispatch_info.private_segment_size = 48;
  record.dispatch_info.dispatch_id = ++profiler().dispatches;
  if (static_cast<int>(profiler().dispatches) == from_environment("AACO_ROCPROFILER_DOUBLE_LOSE")) {
    ++profiler().holds[correlation];  // for good
  } else if (static_cast<int>(profiler().dropped) < from_environment("AACO_ROCPROFILER_DOUBLE_DROP")) {
    ++profiler().dropped;
  } else {
    store(ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH, record);
  }
}

void add_copy(uint64_t correlation, const WorkRecord& work) {
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
void executed(uint64_t correlation, const WorkRecord& work) {
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

Profiler& profiler() {
  static auto* const here = new Profiler;  // outlives its thread
  return *here;
}

int from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::stoi(value) : 0;
}

rocprofiler_agent_id_t agent_of(int device) { return {kFirstAgent + static_cast<uint64_t>(device)}; }

void tell(rocprofiler_callback_tracing_kind_t kind, rocprofiler_tracing_operation_t operation,
          rocprofiler_callback_phase_t phase, void* payload, uint64_t correlation, rocprofiler_user_data_t* user) {
  const auto found = profiler().callbacks.find(kind);
  if (found == profiler().callbacks.end() || !profiler().started) {
    return;
  }
  const auto& wanted = found->second.operations;
  if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), operation) == wanted.end()) {
    return;
  }
  rocprofiler_callback_tracing_record_t record{};
  record.kind = kind;
  record.operation = operation;
  record.phase = phase;
  record.payload = payload;
  record.correlation_id.internal = correlation;
  record.thread_id = static_cast<uint64_t>(::syscall(SYS_gettid));
  rocprofiler_user_data_t none{};
  found->second.function(record, user != nullptr ? user : &none, found->second.data);
}

Observer begin_observing() {
  std::thread(carry).detach();
  return {begin_call, end_call, hold, release, executed};
}

}  // namespace aaco::hip_double
