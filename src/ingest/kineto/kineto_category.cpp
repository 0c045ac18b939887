// SPDX-License-Identifier: MIT
#include "ingest/kineto/kineto_category.h"

#include <algorithm>

namespace aaco {

namespace {

struct CategoryKind {
  std::string_view category;
  EventKind kind;
};

constexpr CategoryKind kCategories[] = {
    {"cpu_op", EventKind::kHostOp},
    {"Operator", EventKind::kHostOp},
    {"cuda_runtime", EventKind::kHostCall},
    {"cuda_driver", EventKind::kHostCall},
    {"hip_runtime", EventKind::kHostCall},
    {"xpu_runtime", EventKind::kHostCall},
    {"xpu_driver", EventKind::kHostCall},
    {"hpu_op", EventKind::kHostCall},  // of the host, says Kineto
    {"mtia_runtime", EventKind::kHostCall},
    {"glow_runtime", EventKind::kHostCall},
    {"privateuse1_runtime", EventKind::kHostCall},
    {"privateuse1_driver", EventKind::kHostCall},
    {"Runtime", EventKind::kHostCall},
    {"user_annotation", EventKind::kHostRange},
    {"python_function", EventKind::kHostRange},
    {"Python function", EventKind::kHostRange},
    {"cuda_profiler_range", EventKind::kDeviceRange},
    {"xpu_scope_profiler", EventKind::kDeviceRange},
    {"overhead", EventKind::kOverhead},
    {"kernel", EventKind::kKernel},
    {"Kernel", EventKind::kKernel},
    {"mtia_ccp_events", EventKind::kKernel},
    {"collective_comm", EventKind::kKernel},  // of whatever name, communication (analysis/timeline/device_work.cpp)
    {"gpu_memcpy", EventKind::kCopy},
    {"Memcpy", EventKind::kCopy},
    {"gpu_memset", EventKind::kSet},
    {"Memset", EventKind::kSet},
    {"gpu_user_annotation", EventKind::kDeviceRange},
    {"cuda_sync", EventKind::kDeviceSync},
    {"cuda_event", EventKind::kDeviceSync},
    {"xpu_sync", EventKind::kDeviceSync},
    {"Node", EventKind::kHostOp},         // ONNX Runtime's profile; its kernels are "Kernel"
    {"host_call", EventKind::kHostCall},  // of no GPU's runtime, as aaco's own exports have it
    {"Api", EventKind::kHostCall},
    {"Session", EventKind::kHostRange},
    {"cpu_instant_event", EventKind::kOther},
    {"external_correlation", EventKind::kOther},
    {"mtia_insight", EventKind::kOther},
    {"mtia_counters", EventKind::kOther},
    {"Trace", EventKind::kOther},
    {"async", EventKind::kOther},
    {"async_cpu_to_gpu", EventKind::kOther},
    {"ac2g", EventKind::kOther},
    {"async_npu", EventKind::kOther},  // arrows of Ascend's profiler, as the next two
    {"HostToDevice", EventKind::kOther},
    {"async_task_queue", EventKind::kOther},
    {"cpu_to_cuda", EventKind::kOther},  // arrows of PyTorch's profiler before Kineto
    {"fwdbwd", EventKind::kOther},
    {"forward_backward", EventKind::kOther},
    {"DataFlow", EventKind::kOther},
    {"", EventKind::kOther},
};

}  // namespace

std::optional<EventKind> kind_of_category(std::string_view category) {
  const auto* const position = std::find_if(std::begin(kCategories), std::end(kCategories),
                                            [&](const CategoryKind& known) { return known.category == category; });
  return position == std::end(kCategories) ? std::nullopt : std::optional(position->kind);
}

}  // namespace aaco
