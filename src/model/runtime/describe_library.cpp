// SPDX-License-Identifier: MIT
#include "model/runtime/describe_library.h"

#include "model/runtime/session_options.h"

namespace aaco {

Result<OrtLibraryInfo> describe_ort_library(const std::string& override_path) {
  AACO_ASSIGN(const std::shared_ptr<OrtLibrary> library, OrtLibrary::open(override_path));
  OrtLibraryInfo info{library->path(), library->version(), library->providers(), {}};
  for (const std::string& provider : info.providers) {
    if (provider != "CPUExecutionProvider") {
      info.provider_libraries[provider] = provider_problem(*library, provider);
    }
  }
  return info;
}

}  // namespace aaco
