// SPDX-License-Identifier: MIT
#include "device/gpu/cupti/cupti_api.h"

#include <fstream>
#include <iterator>

namespace aaco::gpu {

namespace {

std::string maps_of_this_process() {
  std::ifstream file("/proc/self/maps");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

std::string mapped_cupti(const std::string& maps) {
  const size_t name = maps.find("/libcupti.so");
  if (name == std::string::npos) {
    return "";
  }
  const size_t line = maps.rfind('\n', name) + 1;  // of the first line npos + 1, which is 0
  const size_t path = maps.find('/', line);
  return maps.substr(path, maps.find('\n', name) - path);
}

CuptiApi::CuptiApi()
    : mapped(mapped_cupti(maps_of_this_process())),
      library({.names = {mapped.empty() ? "libcupti.so.13" : mapped.c_str()},
               .folders = {"lib64", "extras/CUPTI/lib64", "targets/x86_64-linux/lib"},
               .home = "CUDA_HOME",
               .python_folder = "nvidia/*/lib",
               .remedy = "install CUPTI of CUDA 13 (in the toolkit, or pip install nvidia-cuda-cupti), or name its "
                         "folder in AACO_NVIDIA_LIBRARIES"}) {
  library.find(get_version, "cuptiGetVersion");
  library.find(subscribe, "cuptiSubscribe");
  library.find(unsubscribe, "cuptiUnsubscribe");
  library.find(enable_callback, "cuptiEnableCallback");
  library.find(graph_node_id, "cuptiGetGraphNodeId");
  library.find(register_callbacks, "cuptiActivityRegisterCallbacks");
  library.find(register_timestamp, "cuptiActivityRegisterTimestampCallback");
  library.find(enable, "cuptiActivityEnable");
  library.find(disable, "cuptiActivityDisable");
  library.find(enable_runtime, "cuptiActivityEnableRuntimeApi");
  library.find(enable_driver, "cuptiActivityEnableDriverApi");
  library.find(set_attribute, "cuptiActivitySetAttribute");
  library.find(set_thread_id_type, "cuptiSetThreadIdType");
  library.find(flush_all, "cuptiActivityFlushAll");
  library.find(next_record, "cuptiActivityGetNextRecord");
  library.find(dropped, "cuptiActivityGetNumDroppedRecords");
  library.find(stream_id, "cuptiGetStreamIdEx");
  library.find(result_string, "cuptiGetResultString");
  if (library) {
    static_cast<void>(get_version(&version));
  }
}

CuptiApi& cupti() {
  static CuptiApi the_library;
  return the_library;
}

}  // namespace aaco::gpu
