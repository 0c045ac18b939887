// SPDX-License-Identifier: MIT
#include "analysis/timeline/waiting_call.h"

#include <algorithm>
#include <iterator>

namespace aaco {

namespace {

// Without the version of its interface: "cudaMemcpy_v3020", as Nsight Systems writes it, "cuMemcpyDtoH_v2".
std::string_view without_version(std::string_view call) {
  const size_t version = call.rfind("_v");
  const bool has_version = version != std::string_view::npos && version + 2 < call.size() &&
                           call.find_first_not_of("0123456789", version + 2) == std::string_view::npos;
  return has_version ? call.substr(0, version) : call;
}

}  // namespace

bool waits_for_device(std::string_view call) {
  static constexpr std::string_view kBlockingCopies[] = {
      "cudaMemcpy2D",        "cudaMemcpy3D",      "hipMemcpy2D",          "cudaMemcpy",         "hipMemcpy",
      "hipMemcpyWithStream", "hipMemcpyDtoH",     "hipMemcpyHtoD",        "cuMemcpyDtoH",       "cuMemcpyHtoD",
      "cudaMemcpyToSymbol",  "hipMemcpyToSymbol", "cudaMemcpyFromSymbol", "hipMemcpyFromSymbol"};
  return call.find("Synchronize") != std::string_view::npos ||
         std::find(std::begin(kBlockingCopies), std::end(kBlockingCopies), without_version(call)) !=
             std::end(kBlockingCopies);
}

bool orders_streams(std::string_view call) { return call.find("StreamWaitEvent") != std::string_view::npos; }

}  // namespace aaco
