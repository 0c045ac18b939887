// SPDX-License-Identifier: MIT
#include "kind/observation/programs/command_environment.h"

#include <cstdlib>
#include <filesystem>

#include "device/observe_variables.h"

namespace aaco {

namespace {

std::string text_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? value : "";
}

// Where aaco observes aaco, this one has the command from here on.
std::string named_before(const std::string& injection, const char* variable, const char* chained) {
  std::string named = text_of(variable);
  return named == injection ? text_of(chained) : named;
}

}  // namespace

ChainedLibraries chained_libraries(const std::string& injection) {
  return {named_before(injection, observe_variable::kInjection, observe_variable::kChained),
          named_before(injection, observe_variable::kNvtxInjection, observe_variable::kChainedNvtx)};
}

std::vector<std::pair<std::string, std::string>> injecting_environment(const ObservationRequest& request,
                                                                       const std::string& injection,
                                                                       const ChainedLibraries& chained) {
  std::vector<std::pair<std::string, std::string>> environment{{observe_variable::kInjection, injection},
                                                               {observe_variable::kChained, chained.injection},
                                                               {observe_variable::kNvtxInjection, injection},
                                                               {observe_variable::kChainedNvtx, chained.nvtx}};
  if (request.modules || request.torch_operators) {
    const std::string hook = (std::filesystem::path(injection).parent_path() / kPythonHook).string();
    const std::string before = text_of(observe_variable::kPythonPath);
    environment.emplace_back(observe_variable::kPythonPath, before.empty() ? hook : hook + ':' + before);
  }
  if (request.torch_operators) {
    environment.emplace_back(observe_variable::kTorchOperators, "1");
  }
  return environment;
}

}  // namespace aaco
