// SPDX-License-Identifier: MIT
#include "device/gpu/hip/rocprofiler/rocprofiler_api.h"

#include <dlfcn.h>

#include "device/gpu/failure.h"

namespace aaco::gpu {

RocprofilerApi::RocprofilerApi()
    : library({.names = {"librocprofiler-sdk.so.1"},
               .folders = {"lib"},
               .home = "ROCM_PATH",
               .python_folder = "",
               .remedy = "install rocprofiler-sdk of ROCm 7 (its package rocprofiler-sdk), or set ROCM_PATH to where "
                         "ROCm lies; rocprofv3 of ROCm 6 is the other way (--with rocprofv3)"}) {
  if (library) {
    // HIP's side looks for it among the symbols that all may see, then by a name that only a development package has.
    dlopen(library.path().c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
  }
  library.find(force_configure, "rocprofiler_force_configure");
  library.find(create_context, "rocprofiler_create_context");
  library.find(start_context, "rocprofiler_start_context");
  library.find(create_buffer, "rocprofiler_create_buffer");
  library.find(flush_buffer, "rocprofiler_flush_buffer");
  library.find(configure_buffer_tracing_service, "rocprofiler_configure_buffer_tracing_service");
  library.find(configure_callback_tracing_service, "rocprofiler_configure_callback_tracing_service");
  library.find(query_available_agents, "rocprofiler_query_available_agents");
  library.find(get_timestamp, "rocprofiler_get_timestamp");
  library.find(get_status_name, "rocprofiler_get_status_name");
}

RocprofilerApi& rocprofiler() {
  static RocprofilerApi the_library;
  return the_library;
}

int32_t fail_rocprofiler(rocprofiler_status_t status, const char* call, const char* file, int line) {
  std::string message(call);
  message = message.substr(0, message.find('('));
  if (const size_t dot = message.rfind('.'); dot != std::string::npos) {
    message = message.substr(dot + 1);
  }
  const char* name = rocprofiler().get_status_name(status);
  message = "rocprofiler_" + message + ": " + (name != nullptr ? name : "unknown") + " (" +
            std::to_string(static_cast<int>(status)) + ')';
  switch (status) {
    case ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED:
      message = "another profiler is attached to this process (" + message + ")\nrun without it, or without --profile";
      break;
    case ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT:
    case ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED:
    case ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI:
    case ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_KERNEL:
    case ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE:
    case ROCPROFILER_STATUS_ERROR_PERMISSION_DENIED:
      message += "\nrocprofv3 is the other way (--with rocprofv3)";
      break;
    default:
      return fail(kAacoDevice, std::move(message), file, line);
  }
  return fail(kAacoUnavailable, std::move(message), file, line);
}

}  // namespace aaco::gpu
