// SPDX-License-Identifier: MIT
// Events: marks in streams, with a time where that was asked for.
#include "device/gpu/device_context.h"
#include "device/gpu/failure.h"
#include "device/gpu/module_functions.h"

namespace aaco::gpu {

int32_t event_make(void* device, int32_t timing, void** event) noexcept {
  auto& context = *static_cast<DeviceContext*>(device);
  AACO_GPU_TRY(make_current(context));
  auto event_context = std::make_unique<EventContext>();
  event_context->device = &context;
  AACO_GPU_TRY(gpuEventCreateWithFlags(&event_context->event, timing != 0 ? 0 : gpuEventDisableTiming));
  *event = event_context.release();
  return kAacoOk;
}

int32_t event_free(void* event) noexcept {
  const std::unique_ptr<EventContext> context(static_cast<EventContext*>(event));
  AACO_GPU_TRY(make_current(*context->device));
  AACO_GPU_TRY(gpuEventDestroy(context->event));
  return kAacoOk;
}

int32_t event_record(void* event, void* stream) noexcept {
  auto& context = *static_cast<StreamContext*>(stream);
  if (begin(context)) {
    context.keep(gpuEventRecord(static_cast<EventContext*>(event)->event, context.stream), "gpuEventRecord", __FILE__,
                 __LINE__);
  }
  return kAacoOk;
}

int32_t event_wait(void* event, void* stream) noexcept {
  auto& context = *static_cast<StreamContext*>(stream);
  if (begin(context)) {
    context.keep(gpuStreamWaitEvent(context.stream, static_cast<EventContext*>(event)->event, 0), "gpuStreamWaitEvent",
                 __FILE__, __LINE__);
  }
  return kAacoOk;
}

int32_t event_synchronize(void* event) noexcept {
  const auto& context = *static_cast<EventContext*>(event);
  AACO_GPU_TRY(make_current(*context.device));
  AACO_GPU_TRY(gpuEventSynchronize(context.event));
  return kAacoOk;
}

int32_t event_elapsed_ns(void* from, void* to, double* ns) noexcept {
  const auto& context = *static_cast<EventContext*>(from);
  float milliseconds = 0;
  AACO_GPU_TRY(make_current(*context.device));
  AACO_GPU_TRY(gpuEventElapsedTime(&milliseconds, context.event, static_cast<EventContext*>(to)->event));
  *ns = static_cast<double>(milliseconds) * 1e6;
  return kAacoOk;
}

}  // namespace aaco::gpu
