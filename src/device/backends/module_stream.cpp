// SPDX-License-Identifier: MIT
#include "device/backends/module_stream.h"

#include "device/backends/module_device.h"

namespace aaco {

Result<void> ModuleEvent::synchronize() { return module_result(module_, module_.event_synchronize(handle_)); }

Result<void> ModuleStream::synchronize() { return module_result(module_, module_.stream_synchronize(handle_)); }

Result<std::unique_ptr<Graph>> ModuleStream::end_capture() {
  void* graph = nullptr;
  int64_t kernels = 0;
  AACO_TRY(module_result(module_, module_.capture_end(handle_, &graph, &kernels)));
  return std::unique_ptr<Graph>(std::make_unique<ModuleGraph>(module_, graph, kernels));
}

}  // namespace aaco
