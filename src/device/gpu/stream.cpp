// SPDX-License-Identifier: MIT
// Streams, and what is enqueued on them.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "device/gpu/communicator_context.h"
#include "device/gpu/device_context.h"
#include "device/gpu/failure.h"
#include "device/gpu/module_functions.h"
#include "device/gpu/run_on_gpu.h"
#include "device/gpu/vendor_runtime.h"

namespace aaco::gpu {

namespace {

using Launcher = void (*)(StreamContext& stream, const void* args);

template <class Args>
constexpr Launcher launcher_of() {
  return [](StreamContext& stream, const void* args) { run_on_gpu(stream, *static_cast<const Args*>(args)); };
}

#define AACO_LAUNCHER(Name, text) launcher_of<Name##Args>(),
constexpr std::array<Launcher, kOpCount> kLaunchers{AACO_OPS(AACO_LAUNCHER)};
#undef AACO_LAUNCHER

#define AACO_OP_NAME(Name, text) text,
constexpr std::array<std::string_view, kOpCount> kNames{AACO_OPS(AACO_OP_NAME)};
#undef AACO_OP_NAME

// Which operations launch_behind may launch early: all, or those that AACO_LAUNCH_BEHIND names ("norm,glu"; "none": no
// operation), so that what each gains can be measured.
struct QueueRule {
  std::array<bool, kOpCount> allowed{};
  std::string unknown;  // a name that is no operation's
};

QueueRule launched_behind() {
  QueueRule behind;
  const char* named = std::getenv("AACO_LAUNCH_BEHIND");
  if (named == nullptr) {
    behind.allowed.fill(true);
    return behind;
  }
  std::stringstream list{std::string(named)};
  for (std::string name; std::getline(list, name, ',');) {
    if (const auto position = std::find(kNames.begin(), kNames.end(), name); position != kNames.end()) {
      behind.allowed[static_cast<size_t>(position - kNames.begin())] = true;
    } else if (name != "none") {
      behind.unknown = name;
    }
  }
  return behind;
}

}  // namespace

bool begin(StreamContext& stream) {
  if (!stream.failed()) {
    stream.keep(make_current(*stream.device), "gpuSetDevice", __FILE__, __LINE__);
  }
  return !stream.failed();
}

int32_t stream_make(void* device, int32_t priority, void** stream, uint64_t* native_id) noexcept {
  auto& context = *static_cast<DeviceContext*>(device);
  AACO_GPU_TRY(make_current(context));
  auto stream_context = std::make_unique<StreamContext>();
  stream_context->device = &context;
  stream_context->limits = context.limits;
  AACO_GPU_TRY(gpuStreamCreateWithPriority(&stream_context->stream, gpuStreamNonBlocking, priority));
  if (const int32_t status = AACO_GPU_CHECK(id_of_stream(stream_context->stream, native_id)); status != kAacoOk) {
    static_cast<void>(gpuStreamDestroy(stream_context->stream));
    return status;
  }
  const std::lock_guard lock(context.mutex);
  context.streams.push_back(stream_context.get());
  *stream = stream_context.release();
  return kAacoOk;
}

int32_t stream_free(void* stream) noexcept {
  const std::unique_ptr<StreamContext> context(static_cast<StreamContext*>(stream));
  {  // before anything can fail: the context goes in any case
    const std::lock_guard lock(context->device->mutex);
    std::erase(context->device->streams, context.get());
  }
  AACO_GPU_TRY(make_current(*context->device));
  AACO_GPU_TRY(gpuStreamSynchronize(context->stream));  // what its libraries hold may be in use until then
  context->gemm.reset();
  context->conv.reset();
  AACO_GPU_TRY(gpuStreamDestroy(context->stream));
  return kAacoOk;
}

int32_t stream_synchronize(void* stream) noexcept {
  auto& context = *static_cast<StreamContext*>(stream);
  if (begin(context)) {
    context.keep(gpuStreamSynchronize(context.stream), "gpuStreamSynchronize", __FILE__, __LINE__);
  }
  // Kernels of a communicator that was aborted end, and leave anything.
  if (const std::string failure = context.failed() ? "" : communicator_failure(*context.device); !failure.empty()) {
    context.keep_text(kAacoDevice, failure, __FILE__, __LINE__);
  }
  return context.failed() ? report(context) : kAacoOk;
}

int32_t launch_op(void* stream, uint32_t op, const void* args) noexcept {
  auto& context = *static_cast<StreamContext*>(stream);
  if (op >= kOpCount) {
    context.keep_text(kAacoUsage, "no such operation: " + std::to_string(op), __FILE__, __LINE__);
  } else if (begin(context)) {
    static const QueueRule kBehind = launched_behind();
    if (!kBehind.unknown.empty()) {
      context.keep_text(kAacoUsage, "AACO_LAUNCH_BEHIND: there is no operation " + kBehind.unknown, __FILE__, __LINE__);
      return kAacoOk;
    }
    context.limits.dependent_launches = context.device->limits.dependent_launches && kBehind.allowed[op];
    kLaunchers[op](context, args);
  }
  return kAacoOk;
}

int32_t copy(void* stream, void* to, const void* from, size_t bytes) noexcept {
  auto& context = *static_cast<StreamContext*>(stream);
  if (begin(context)) {
    context.keep(gpuMemcpyAsync(to, from, bytes, gpuMemcpyDefault, context.stream), "gpuMemcpyAsync", __FILE__,
                 __LINE__);
  }
  return kAacoOk;
}

int32_t set(void* stream, void* to, int32_t value, size_t bytes) noexcept {
  auto& context = *static_cast<StreamContext*>(stream);
  if (begin(context)) {
    context.keep(gpuMemsetAsync(to, value, bytes, context.stream), "gpuMemsetAsync", __FILE__, __LINE__);
  }
  return kAacoOk;
}

}  // namespace aaco::gpu
