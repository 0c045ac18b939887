// SPDX-License-Identifier: MIT
// CUPTI's collector in aaco's own CUDA module: begun before the first call of CUDA, flushed when the devices are idle.
#include "device/gpu/cuda/activity.h"
#include "device/gpu/cupti/cupti_api.h"
#include "device/gpu/cupti/cupti_collector.h"
#include "device/gpu/device_context.h"
#include "device/gpu/failure.h"
#include "device/gpu/module_functions.h"

namespace aaco::gpu {

gpuError_t id_in_activity(gpuStream_t stream, uint64_t* id) {
  uint32_t number = 0;
  if (cupti_is_collecting() && cupti().stream_id(nullptr, stream, 0, &number) == CUPTI_SUCCESS) {
    *id = number;
    return cudaSuccess;
  }
  unsigned long long own = 0;
  const cudaError_t status = cudaStreamGetId(stream, &own);
  *id = own;
  return status;
}

namespace {

int32_t status_of_problem(const std::optional<CuptiProblem>& problem, int line) {
  return problem ? fail(problem->status, problem->text, __FILE__, line) : static_cast<int32_t>(kAacoOk);
}

}  // namespace

int32_t collector_start(const AacoSink* sink, void** collector) noexcept {
  static char the_collector = 0;  // there is one in a process
  *collector = &the_collector;
  return status_of_problem(start_cupti(*sink), __LINE__);
}

int32_t collector_flush(void*) noexcept {
  for (const DeviceContext* device : open_devices()) {
    AACO_GPU_TRY(make_current(*device));
    AACO_GPU_TRY(gpuDeviceSynchronize());
  }
  return status_of_problem(flush_cupti(CuptiFlush::kAll), __LINE__);
}

int32_t collector_stop(void* collector) noexcept {
  const int32_t status = collector_flush(collector);
  stop_cupti();
  return status;
}

}  // namespace aaco::gpu
