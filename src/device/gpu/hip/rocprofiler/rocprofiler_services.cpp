// SPDX-License-Identifier: MIT
#include "device/gpu/hip/rocprofiler/rocprofiler_services.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "device/gpu/failure.h"

namespace aaco::gpu {

namespace {

constexpr size_t kBufferBytes = size_t{4} * 1024 * 1024;
constexpr size_t kWatermarkBytes = kBufferBytes / 4 * 3;
constexpr rocprofiler_buffer_tracing_kind_t kBuffered[] = {ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH,
                                                           ROCPROFILER_BUFFER_TRACING_MEMORY_COPY,
                                                           ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT};

rocprofiler_buffer_id_t buffer{};
std::atomic<bool> hip_registered{false};
std::atomic<bool> hsa_registered{false};

void on_runtime(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t*, void*) {
  if (record.operation == ROCPROFILER_RUNTIME_INITIALIZATION_HIP) {
    hip_registered = true;
  } else if (record.operation == ROCPROFILER_RUNTIME_INITIALIZATION_HSA) {
    hsa_registered = true;
  }
}

// Symbols of kernels are those of their descriptors.
std::string name_of_symbol(const char* symbol) {
  constexpr std::string_view kDescriptor = ".kd";
  const std::string_view name = symbol != nullptr ? symbol : "unnamed";
  return std::string(name.ends_with(kDescriptor) ? name.substr(0, name.size() - kDescriptor.size()) : name);
}

void on_code_object(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t*, void*) {
  if (record.operation == ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER &&
      record.phase == ROCPROFILER_CALLBACK_PHASE_LOAD) {
    const auto& symbol =
        *static_cast<const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t*>(record.payload);
    RocprofilerStream& stream = rocprofiler_stream();
    const std::lock_guard lock(stream.mutex);
    stream.names[symbol.kernel_id] = name_of_symbol(symbol.kernel_name);
  }
}

// The time within the lock is not the call's: its clock is read last before it, and first after it.
void on_call(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t* begun, void*) {
  const int64_t now_ns = monotonic_ns();
  const HipCall* call = hip_call_of(record.operation);
  if (call == nullptr) {
    return;
  }
  RocprofilerStream& stream = rocprofiler_stream();
  if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) {
    begun->value = 0;
    {
      const std::lock_guard lock(stream.mutex);
      if (!stream.records) {
        return;
      }
      const auto& data = *static_cast<const rocprofiler_callback_tracing_hip_api_data_t*>(record.payload);
      stream.records->begin_call(*call, record.correlation_id.internal, data.args);
    }
    begun->value = static_cast<uint64_t>(monotonic_ns());
  } else if (record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT && begun->value != 0) {
    const std::lock_guard lock(stream.mutex);
    if (stream.records) {
      stream.records->end_call(*call, record.correlation_id.internal, record.thread_id,
                               static_cast<int64_t>(begun->value), now_ns);
    }
  }
}

// `dropped`: since the buffer was made.
void on_records(rocprofiler_context_id_t, rocprofiler_buffer_id_t, rocprofiler_record_header_t** records, size_t count,
                void*, uint64_t dropped) {
  static uint64_t dropped_before = 0;  // under the lock
  RocprofilerStream& stream = rocprofiler_stream();
  const std::lock_guard lock(stream.mutex);
  const uint64_t lost = dropped - std::min(dropped, dropped_before);
  dropped_before = std::max(dropped, dropped_before);
  if (!stream.records) {
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    stream.records->add(*records[i]);
  }
  stream.records->drop(lost);
  stream.records->hand_over();
}

// Begins before HIP does, so that it is told of all that HIP loads.
int32_t ask() {
  RocprofilerApi& api = rocprofiler();
  rocprofiler_context_id_t context{};
  AACO_ROCPROFILER_TRY(api.create_context(&context));
  AACO_ROCPROFILER_TRY(api.configure_callback_tracing_service(
      context, ROCPROFILER_CALLBACK_TRACING_RUNTIME_INITIALIZATION, nullptr, 0, on_runtime, nullptr));
  AACO_ROCPROFILER_TRY(api.configure_callback_tracing_service(context, ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT,
                                                              nullptr, 0, on_code_object, nullptr));
  std::vector<rocprofiler_tracing_operation_t> calls;
  for (const HipCall& call : kHipCalls) {
    calls.push_back(call.id);
  }
  AACO_ROCPROFILER_TRY(api.configure_callback_tracing_service(context, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API,
                                                              calls.data(), calls.size(), on_call, nullptr));
  AACO_ROCPROFILER_TRY(api.create_buffer(context, kBufferBytes, kWatermarkBytes, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                         on_records, nullptr, &buffer));
  for (const rocprofiler_buffer_tracing_kind_t kind : kBuffered) {
    AACO_ROCPROFILER_TRY(api.configure_buffer_tracing_service(context, kind, nullptr, 0, buffer));
  }
  AACO_ROCPROFILER_TRY(api.start_context(context));
  return kAacoOk;
}

struct Outcome {
  int32_t status = kAacoOk;
  std::string text;
};

Outcome outcome_of(int32_t status) { return {status, status != kAacoOk ? failure_text() : ""}; }

Outcome& asked() {
  static Outcome outcome{kAacoDevice, "rocprofiler-sdk did not ask what to record"};
  return outcome;
}

// Called by rocprofiler_force_configure, on its thread.
int on_initialize(rocprofiler_client_finalize_t, void*) {
  asked() = outcome_of(ask());
  return asked().status == kAacoOk ? 0 : -1;
}

rocprofiler_tool_configure_result_t* on_configure(uint32_t, const char*, uint32_t, rocprofiler_client_id_t* client) {
  static rocprofiler_tool_configure_result_t tool{sizeof(rocprofiler_tool_configure_result_t), on_initialize, nullptr,
                                                  nullptr};
  client->name = "aaco";
  return &tool;
}

int32_t configure() {
  RocprofilerApi& api = rocprofiler();
  AACO_ROCPROFILER_TRY(api.force_configure(on_configure));
  if (asked().status != kAacoOk) {
    return fail_again(asked().status, asked().text);
  }
  int devices = 0;
  AACO_GPU_TRY(gpuGetDeviceCount(&devices));
  if (!hip_registered || !hsa_registered) {
    return AACO_GPU_FAIL(kAacoUnavailable,
                         "HIP has not registered with rocprofiler-sdk: it was in use before the collector, or its "
                         "librocprofiler-register is missing or switched off\nbegin the collector before HIP's first "
                         "call; rocprofv3 is the other way (--with rocprofv3)");
  }
  return kAacoOk;
}

}  // namespace

RocprofilerStream& rocprofiler_stream() {
  static auto* const stream = new RocprofilerStream;  // rocprofiler's threads may outlive what is destroyed at exit
  return *stream;
}

int32_t start_services() {
  static const Outcome outcome = outcome_of(configure());
  return outcome.status != kAacoOk ? fail_again(outcome.status, outcome.text) : kAacoOk;
}

rocprofiler_status_t flush_buffer() { return rocprofiler().flush_buffer(buffer); }

}  // namespace aaco::gpu
