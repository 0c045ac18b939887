// SPDX-License-Identifier: MIT
// The device waits while the host loads code for it, as it does the first time that a kernel is used: in a call of its
// own, or within the one that launches.
#include <array>

#include "analysis/timeline/advice/call_idle.h"
#include "analysis/timeline/advice/patterns.h"

namespace aaco {

std::vector<TraceFinding> module_loading(const AdviceInput& input) {
  static constexpr std::array<std::string_view, 8> kCalls = {
      "cudaModuleLoad", "cudaLibraryLoad",     "cudaLibraryGetKernel", "cuModuleLoad",
      "cuLibraryLoad",  "cuModuleGetFunction", "hipModuleLoad",        "hipModuleGetFunction"};
  return idle_in_calls(
      input,
      {"module-loading", "idle: code loaded to the device", kCalls, true,
       "These are costs of the first time: run some steps before what is recorded or timed, for the later ones do not "
       "pay them. Where start-up itself counts, load ahead (CUDA_MODULE_LOADING=EAGER) and keep compiled kernels.",
       "CUDA documentation, lazy loading"});
}

}  // namespace aaco
