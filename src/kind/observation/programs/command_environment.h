// SPDX-License-Identifier: MIT
// What a command that aaco starts finds in its environment, so that CUDA's driver, NVTX and Python open the observer's
// library and its hook.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kind/observation/observation_document.h"
#include "kind/observation/observation_run.h"

namespace aaco {

// What the environment named before `injection`, which is called too.
struct ChainedLibraries {
  std::string injection;
  std::string nvtx;
};
ChainedLibraries chained_libraries(const std::string& injection);

// Of a command that is recorded as of one that sleeps.
std::vector<std::pair<std::string, std::string>> injecting_environment(const ObservationRequest& request,
                                                                       const std::string& injection,
                                                                       const ChainedLibraries& chained);

}  // namespace aaco
