// SPDX-License-Identifier: MIT
// CUPTI's activity interface: begun before the first call of CUDA, flushed when asked.
#include <cstdlib>
#include <ctime>
#include <mutex>

#include "device/gpu/cuda/activity.h"
#include "device/gpu/cuda/cupti_api.h"
#include "device/gpu/cuda/cupti_records.h"
#include "device/gpu/device_context.h"
#include "device/gpu/failure.h"
#include "device/gpu/module_functions.h"

namespace aaco::gpu {

namespace {

constexpr size_t kBufferBytes = 4U * 1024 * 1024;
constexpr size_t kBufferAlignment = 8;
constexpr CUpti_ActivityKind kWork[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                        CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET};

std::mutex records_mutex;
std::unique_ptr<CuptiRecords> records;  // while a collector runs
CUpti_SubscriberHandle subscriber{};

// The session's clock; CUPTI brings the device's times to it.
uint64_t CUPTIAPI monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

// Without memory CUPTI drops records, and counts them.
void CUPTIAPI buffer_wanted(uint8_t** buffer, size_t* size, size_t* most_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *size = *buffer != nullptr ? kBufferBytes : 0;
  *most_records = 0;
}

// Since it was last asked: what is lost while no buffer arrives, or an empty one does, is lost all the same.
void count_dropped(CUcontext context, uint32_t stream) {
  size_t lost = 0;
  if (cupti().dropped(context, stream, &lost) == CUPTI_SUCCESS) {
    records->drop(lost);
  }
}

void CUPTIAPI buffer_full(CUcontext context, uint32_t stream, uint8_t* buffer, size_t, size_t used) {
  const std::lock_guard lock(records_mutex);
  if (records) {
    CUpti_Activity* record = nullptr;
    while (used > 0 && cupti().next_record(buffer, used, &record) == CUPTI_SUCCESS) {
      records->add(record);
    }
    count_dropped(context, stream);
    records->hand_over(false);
  }
  std::free(buffer);
}

void CUPTIAPI no_callback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

int32_t fail_cupti(CUptiResult result, const char* call, int line) {
  const char* text = nullptr;
  static_cast<void>(cupti().result_string(result, &text));
  std::string message = std::string(call) + ": " + (text != nullptr ? text : "unknown") + " (" +
                        std::to_string(static_cast<int>(result)) + ')';
  AacoStatus status = kAacoDevice;
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    status = kAacoUnavailable;
    message = "another profiler is attached to this process (" + message + ")\nrun without it, or without --profile";
  } else if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES) {
    status = kAacoUnavailable;
    message += "\nlet users profile: set NVreg_RestrictProfilingToAdminUsers=0 for the driver, or run as root";
  }
  return fail(status, std::move(message), __FILE__, line);
}

#define AACO_CUPTI_TRY(call)                                        \
  do {                                                              \
    if (const CUptiResult result = call; result != CUPTI_SUCCESS) { \
      return fail_cupti(result, #call, __LINE__);                   \
    }                                                               \
  } while (false)

int32_t enable_records(CuptiApi& api) {
  AACO_CUPTI_TRY(api.register_timestamp(monotonic_ns));
  AACO_CUPTI_TRY(api.register_callbacks(buffer_wanted, buffer_full));
  for (const CUpti_ActivityKind kind : kWork) {
    AACO_CUPTI_TRY(api.enable(kind));
  }
  for (const RecordedCall& call : kRuntimeCalls) {
    AACO_CUPTI_TRY(api.enable_runtime(call.id, 1));
  }
  for (const RecordedCall& call : kDriverCalls) {
    AACO_CUPTI_TRY(api.enable_driver(call.id, 1));
  }
  return kAacoOk;
}

void disable_records(CuptiApi& api) {
  for (const CUpti_ActivityKind kind : kWork) {
    static_cast<void>(api.disable(kind));
  }
  for (const RecordedCall& call : kRuntimeCalls) {
    static_cast<void>(api.enable_runtime(call.id, 0));
  }
  for (const RecordedCall& call : kDriverCalls) {
    static_cast<void>(api.enable_driver(call.id, 0));
  }
  static_cast<void>(api.unsubscribe(subscriber));
}

bool is_collecting() {
  const std::lock_guard lock(records_mutex);
  return records != nullptr;
}

}  // namespace

gpuError_t id_in_activity(gpuStream_t stream, uint64_t* id) {
  uint32_t number = 0;
  if (is_collecting() && cupti().stream_id(nullptr, stream, 0, &number) == CUPTI_SUCCESS) {
    *id = number;
    return cudaSuccess;
  }
  unsigned long long own = 0;
  const cudaError_t status = cudaStreamGetId(stream, &own);
  *id = own;
  return status;
}

int32_t collector_start(const AacoSink* sink, void** collector) noexcept {
  CuptiApi& api = cupti();
  if (!api.library) {
    return AACO_GPU_FAIL(kAacoUnavailable, api.library.reason());
  }
  if (is_collecting()) {
    return AACO_GPU_FAIL(kAacoUsage, "a collector of this device's activity is running already");
  }
  AACO_CUPTI_TRY(api.subscribe(&subscriber, no_callback, nullptr));
  if (const int32_t status = enable_records(api); status != kAacoOk) {
    disable_records(api);
    return status;
  }
  const std::lock_guard lock(records_mutex);
  records = std::make_unique<CuptiRecords>(*sink);
  *collector = &records;
  return kAacoOk;
}

int32_t collector_flush(void*) noexcept {
  for (const DeviceContext* device : open_devices()) {
    AACO_GPU_TRY(make_current(*device));
    AACO_GPU_TRY(gpuDeviceSynchronize());
  }
  AACO_CUPTI_TRY(cupti().flush_all(0));
  AACO_CUPTI_TRY(cupti().flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
  const std::lock_guard lock(records_mutex);
  if (records) {
    count_dropped(nullptr, 0);
    records->hand_over(true);
  }
  return kAacoOk;
}

int32_t collector_stop(void* collector) noexcept {
  const int32_t status = collector_flush(collector);
  disable_records(cupti());
  const std::lock_guard lock(records_mutex);
  records.reset();
  return status;
}

}  // namespace aaco::gpu
