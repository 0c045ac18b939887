// SPDX-License-Identifier: MIT
// NVIDIA's headers (version 3) hold all of NVTX: they open the tool's library, and nothing of it is linked.
#include "device/ranges/profiler_ranges.h"

#ifdef AACO_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

namespace aaco {

std::optional<RangeListener> nvtx_listener() {
#ifdef AACO_NVTX
  nvtxInitialize(nullptr);
  if (NVTX_VERSIONED_IDENTIFIER(nvtxGlobals).nvtxRangePushA_impl_fnptr == nullptr) {
    return std::nullopt;
  }
  return RangeListener{"NVTX", [](const char* range) { nvtxRangePushA(range); }, [] { nvtxRangePop(); }};
#else
  return std::nullopt;
#endif
}

}  // namespace aaco
