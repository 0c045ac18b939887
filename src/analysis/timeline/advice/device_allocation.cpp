// SPDX-License-Identifier: MIT
// The device waits while the host asks the driver for memory, or gives it back.
#include <array>

#include "analysis/timeline/advice/call_idle.h"
#include "analysis/timeline/advice/patterns.h"

namespace aaco {

std::vector<TraceFinding> device_allocation(const AdviceInput& input) {
  static constexpr std::array<std::string_view, 12> kCalls = {
      "cudaMalloc", "cudaFree",    "cudaHostAlloc", "cudaHostRegister", "hipMalloc", "hipExtMalloc",
      "hipFree",    "hipHostFree", "hipHostMalloc", "cuMemAlloc",       "cuMemFree", "cuMemCreate"};
  return idle_in_calls(
      input,
      {"device-allocation", "idle: memory asked of the driver", kCalls, false,
       "Let an allocator keep what was freed (PyTorch's does, until empty_cache() or memory runs short), allocate "
       "before the loop, and record after it has warmed up: sizes that change from step to step make it ask again.",
       "PyTorch documentation, CUDA semantics: memory management"});
}

}  // namespace aaco
