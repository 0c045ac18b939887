// SPDX-License-Identifier: MIT
// Captured graphs.
#include <cstdint>
#include <vector>

#include "device/gpu/device_context.h"
#include "device/gpu/failure.h"
#include "device/gpu/module_functions.h"

namespace aaco::gpu {

namespace {

int32_t count_kernels(gpuGraph_t graph, int64_t* kernels) {
  size_t count = 0;
  AACO_GPU_TRY(gpuGraphGetNodes(graph, nullptr, &count));
  std::vector<gpuGraphNode_t> nodes(count);
  if (count > 0) {
    AACO_GPU_TRY(gpuGraphGetNodes(graph, nodes.data(), &count));
  }
  *kernels = 0;
  for (const gpuGraphNode_t node : nodes) {
    gpuGraphNodeType type{};
    const gpuError_t status = gpuGraphNodeGetType(node, &type);
    if (status == AACO_VENDOR(ErrorUnknown)) {
      // Of a type that the runtime does not know, as the waits on memory by which NCCL has copy engines gather: no
      // kernel.
      static_cast<void>(gpuGetLastError());
      continue;
    }
    if (status != gpuSuccess) {
      return check(status, "gpuGraphNodeGetType", __FILE__, __LINE__);
    }
    *kernels += type == gpuGraphNodeTypeKernel ? 1 : 0;
  }
  return kAacoOk;
}

// What failed to be captured is not in the graph, and the graph would be launched without it. Any stream of any device
// may have taken part.
int32_t first_failure() {
  for (DeviceContext* device : open_devices()) {
    const std::lock_guard lock(device->mutex);
    for (const StreamContext* stream : device->streams) {
      if (stream->failed()) {
        return report(*stream);
      }
    }
  }
  return kAacoOk;
}

int32_t make_graph(gpuGraph_t captured, DeviceContext& device, void** graph, int64_t* kernels) {
  if (const int32_t status = first_failure(); status != kAacoOk) {
    return status;
  }
  if (const int32_t status = count_kernels(captured, kernels); status != kAacoOk) {
    return status;
  }
  auto graph_context = std::make_unique<GraphContext>();
  graph_context->device = &device;
  AACO_GPU_TRY(gpuGraphInstantiateWithFlags(&graph_context->graph, captured, 0));
  *graph = graph_context.release();
  return kAacoOk;
}

}  // namespace

int32_t capture_begin(void* stream) noexcept {
  auto& context = *static_cast<StreamContext*>(stream);
  if (begin(context)) {
    context.keep(gpuStreamBeginCapture(context.stream, gpuStreamCaptureModeThreadLocal), "gpuStreamBeginCapture",
                 __FILE__, __LINE__);
  }
  return kAacoOk;
}

int32_t capture_end(void* stream, void** graph, int64_t* kernels) noexcept {
  auto& context = *static_cast<StreamContext*>(stream);
  gpuGraph_t captured{};
  AACO_GPU_TRY(make_current(*context.device));
  const gpuError_t ended = gpuStreamEndCapture(context.stream, &captured);
  if (context.failed()) {  // what failed first says more than that the capture has no end
    if (captured != gpuGraph_t{}) {
      static_cast<void>(gpuGraphDestroy(captured));
    }
    static_cast<void>(gpuGetLastError());
    return report(context);
  }
  if (const int32_t status = check(ended, "gpuStreamEndCapture", __FILE__, __LINE__); status != kAacoOk) {
    const int32_t earlier = first_failure();
    return earlier != kAacoOk ? earlier : status;
  }
  const int32_t status = make_graph(captured, *context.device, graph, kernels);
  static_cast<void>(gpuGraphDestroy(captured));
  return status;
}

int32_t graph_launch(void* graph, void* stream) noexcept {
  auto& context = *static_cast<StreamContext*>(stream);
  if (begin(context)) {
    context.keep(gpuGraphLaunch(static_cast<GraphContext*>(graph)->graph, context.stream), "gpuGraphLaunch", __FILE__,
                 __LINE__);
  }
  return kAacoOk;
}

int32_t graph_free(void* graph) noexcept {
  const std::unique_ptr<GraphContext> context(static_cast<GraphContext*>(graph));
  AACO_GPU_TRY(make_current(*context->device));
  AACO_GPU_TRY(gpuGraphExecDestroy(context->graph));
  return kAacoOk;
}

}  // namespace aaco::gpu
