// SPDX-License-Identifier: MIT
#include "analysis/timeline/waiting_call.h"

#include <algorithm>
#include <iterator>

namespace aaco {

bool waits_for_device(std::string_view call) {
  static constexpr std::string_view kBlockingCopies[] = {"cudaMemcpy",     "hipMemcpy",     "hipMemcpyWithStream",
                                                         "hipMemcpyDtoH",  "hipMemcpyHtoD", "cuMemcpyDtoH_v2",
                                                         "cuMemcpyHtoD_v2"};
  return call.find("Synchronize") != std::string_view::npos ||
         std::find(std::begin(kBlockingCopies), std::end(kBlockingCopies), call) != std::end(kBlockingCopies);
}

bool orders_streams(std::string_view call) { return call.find("StreamWaitEvent") != std::string_view::npos; }

}  // namespace aaco
