// SPDX-License-Identifier: MIT
// ROCm's markers, opened at run time. The library cannot be asked whether a tool listens, and without one it is not
// opened: a tool of rocprofiler-sdk has an entry of its own in the process, or is named in the environment.
#include <cstdlib>
#include <dlfcn.h>
#include <string_view>

#include "device/ranges/profiler_ranges.h"

namespace aaco {

namespace {

using Push = int (*)(const char* message);
using Pop = int (*)();

// The newer one first: rocprofiler-sdk's tools hear that one alone.
constexpr const char* kLibraries[] = {"librocprofiler-sdk-roctx.so.1", "librocprofiler-sdk-roctx.so", "libroctx64.so.4",
                                      "libroctx64.so"};

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool tool_is_there() {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  return is_set("ROCP_TOOL_LIBRARIES") || ::dlsym(RTLD_DEFAULT, "rocprofiler_configure") != nullptr ||
         (preloaded != nullptr && std::string_view(preloaded).find("rocprof") != std::string_view::npos);
}

}  // namespace

std::optional<RangeListener> roctx_listener() {
  if (!tool_is_there()) {
    return std::nullopt;
  }
  for (const char* const name : kLibraries) {
    void* const library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      continue;
    }
    const auto push = reinterpret_cast<Push>(::dlsym(library, "roctxRangePushA"));
    const auto pop = reinterpret_cast<Pop>(::dlsym(library, "roctxRangePop"));
    if (push != nullptr && pop != nullptr) {
      return RangeListener{"ROCTX", [push](const char* range) { push(range); }, [pop] { pop(); }};
    }
    ::dlclose(library);
  }
  return std::nullopt;
}

}  // namespace aaco
