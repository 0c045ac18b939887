// SPDX-License-Identifier: MIT
#include "device/gpu/hip/rocprofiler/hip_calls.h"

#include <array>

namespace aaco::gpu {

#define AACO_HIP_CALL(call, kind, graph, stream)                            \
  {ROCPROFILER_HIP_RUNTIME_API_ID_##call, #call, ActivityKind::kind, graph, \
   [](const rocprofiler_hip_api_args_t& args) -> hipStream_t { return stream; }}
#define AACO_LAUNCH(call) AACO_HIP_CALL(call, kLaunchCall, false, args.call.stream)
#define AACO_WAIT(call) {ROCPROFILER_HIP_RUNTIME_API_ID_##call, #call, ActivityKind::kSync, false, nullptr}

// rocBLAS and RCCL launch by hipExtModuleLaunchKernel and its kin.
const std::vector<HipCall> kHipCalls{
    AACO_LAUNCH(hipLaunchKernel),
    AACO_LAUNCH(hipExtLaunchKernel),
    AACO_LAUNCH(hipLaunchCooperativeKernel),
    AACO_LAUNCH(hipModuleLaunchKernel),
    AACO_LAUNCH(hipModuleLaunchCooperativeKernel),
    AACO_LAUNCH(hipExtModuleLaunchKernel),
    AACO_LAUNCH(hipHccModuleLaunchKernel),
#if HIP_RUNTIME_API_TABLE_STEP_VERSION >= 11
    AACO_HIP_CALL(hipLaunchKernelExC, kLaunchCall, false, args.hipLaunchKernelExC.config->stream),
    AACO_HIP_CALL(hipDrvLaunchKernelEx, kLaunchCall, false, args.hipDrvLaunchKernelEx.config->hStream),
#endif
    AACO_HIP_CALL(hipGraphLaunch, kLaunchCall, true, args.hipGraphLaunch.stream),
    AACO_LAUNCH(hipMemcpyAsync),
    AACO_LAUNCH(hipMemcpyWithStream),
    AACO_LAUNCH(hipMemcpyPeerAsync),
    AACO_LAUNCH(hipMemcpyHtoDAsync),
    AACO_LAUNCH(hipMemcpyDtoHAsync),
    AACO_LAUNCH(hipMemcpyDtoDAsync),
    AACO_LAUNCH(hipMemcpy2DAsync),
    AACO_LAUNCH(hipMemsetAsync),
    AACO_LAUNCH(hipMemset2DAsync),
    AACO_LAUNCH(hipMemsetD8Async),
    AACO_LAUNCH(hipMemsetD16Async),
    AACO_LAUNCH(hipMemsetD32Async),
    AACO_WAIT(hipStreamSynchronize),
    AACO_WAIT(hipEventSynchronize),
    AACO_WAIT(hipDeviceSynchronize),
};

#undef AACO_WAIT
#undef AACO_LAUNCH
#undef AACO_HIP_CALL

const HipCall* hip_call_of(rocprofiler_tracing_operation_t operation) {
  static const auto by_id = [] {
    std::array<const HipCall*, ROCPROFILER_HIP_RUNTIME_API_ID_LAST> all{};
    for (const HipCall& call : kHipCalls) {
      all.at(static_cast<size_t>(call.id)) = &call;
    }
    return all;
  }();
  const auto id = static_cast<size_t>(operation);
  return id < by_id.size() ? by_id.at(id) : nullptr;
}

}  // namespace aaco::gpu
