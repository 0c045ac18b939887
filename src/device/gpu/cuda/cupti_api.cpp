// SPDX-License-Identifier: MIT
#include "device/gpu/cuda/cupti_api.h"

namespace aaco::gpu {

CuptiApi::CuptiApi()
    : library({.names = {"libcupti.so.13"},
               .folders = {"lib64", "extras/CUPTI/lib64", "targets/x86_64-linux/lib"},
               .home = "CUDA_HOME",
               .python_folder = "nvidia/*/lib",
               .remedy = "install CUPTI of CUDA 13 (in the toolkit, or pip install nvidia-cuda-cupti), or name its "
                         "folder in AACO_NVIDIA_LIBRARIES"}) {
  library.find(subscribe, "cuptiSubscribe");
  library.find(unsubscribe, "cuptiUnsubscribe");
  library.find(register_callbacks, "cuptiActivityRegisterCallbacks");
  library.find(register_timestamp, "cuptiActivityRegisterTimestampCallback");
  library.find(enable, "cuptiActivityEnable");
  library.find(disable, "cuptiActivityDisable");
  library.find(enable_runtime, "cuptiActivityEnableRuntimeApi");
  library.find(enable_driver, "cuptiActivityEnableDriverApi");
  library.find(flush_all, "cuptiActivityFlushAll");
  library.find(next_record, "cuptiActivityGetNextRecord");
  library.find(dropped, "cuptiActivityGetNumDroppedRecords");
  library.find(stream_id, "cuptiGetStreamIdEx");
  library.find(result_string, "cuptiGetResultString");
}

CuptiApi& cupti() {
  static CuptiApi the_library;
  return the_library;
}

}  // namespace aaco::gpu
