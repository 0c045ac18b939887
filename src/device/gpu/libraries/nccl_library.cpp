// SPDX-License-Identifier: MIT
#include "device/gpu/libraries/nccl_library.h"

#include <thread>

#include "device/gpu/failure.h"
#include "device/gpu/vendor_runtime.h"

namespace aaco::gpu {

NcclLibrary::NcclLibrary() : library(kCollectives) {
  library.find(api.get_version, "ncclGetVersion");
  library.find(api.get_error_string, "ncclGetErrorString");
  library.find(api.comm_init_all, "ncclCommInitAll");
  library.find(api.get_unique_id, "ncclGetUniqueId");
  library.find(api.comm_init_rank_config, "ncclCommInitRankConfig");
  library.find(api.comm_get_async_error, "ncclCommGetAsyncError");
  library.find(api.comm_destroy, "ncclCommDestroy");
  library.find(api.comm_abort, "ncclCommAbort");
  library.find(api.group_start, "ncclGroupStart");
  library.find(api.group_end, "ncclGroupEnd");
  library.find(api.all_reduce, "ncclAllReduce");
  library.find(api.reduce_scatter, "ncclReduceScatter");
  library.find(api.all_gather, "ncclAllGather");
  library.find(api.broadcast, "ncclBroadcast");
  library.find(api.send, "ncclSend");
  library.find(api.receive, "ncclRecv");
  library.find_if_there(api.mem_alloc, "ncclMemAlloc");
  library.find_if_there(api.mem_free, "ncclMemFree");
  library.find_if_there(api.window_register, "ncclCommWindowRegister");
  library.find_if_there(api.window_deregister, "ncclCommWindowDeregister");
  if (library) {
    static_cast<void>(api.get_version(&version));
  }
}

NcclLibrary& nccl() {
  static NcclLibrary the_library;
  return the_library;
}

std::string nccl_name() {
  const int version = nccl().version;
  return std::string(kCollectivesName) + ' ' + std::to_string(version / 10000) + '.' +
         std::to_string(version / 100 % 100) + '.' + std::to_string(version % 100);
}

std::string text_of(NcclResult result, const char* call) {
  return std::string(call) + ": " + nccl().api.get_error_string(result) + " (" + std::to_string(result) + ')';
}

// The first looks cost nothing: most calls are done when they return.
NcclResult settle(NcclComm comm, NcclResult called, std::chrono::nanoseconds longest) {
  constexpr auto kPause = std::chrono::microseconds(50);
  const auto begun = std::chrono::steady_clock::now();
  NcclResult state = called;
  while (state == kNcclInProgress) {
    if (const NcclResult asked = nccl().api.comm_get_async_error(comm, &state); asked != kNcclSuccess) {
      return asked;
    }
    if (state == kNcclInProgress) {
      if (std::chrono::steady_clock::now() - begun > longest) {
        return state;
      }
      std::this_thread::sleep_for(kPause);
    }
  }
  return state;
}

int32_t allocate_for_collectives(size_t bytes, void** memory) {
  if (!nccl().library) {
    return AACO_GPU_FAIL(kAacoUnavailable, nccl().library.reason());
  }
  if (nccl().api.mem_alloc == nullptr || nccl().api.mem_free == nullptr) {
    return AACO_GPU_FAIL(kAacoUnavailable, nccl_name() + " has no ncclMemAlloc\ninstall a newer one");
  }
  const NcclResult result = nccl().api.mem_alloc(memory, bytes);
  return result == kNcclSuccess ? kAacoOk : AACO_GPU_FAIL(kAacoMemory, text_of(result, "ncclMemAlloc"));
}

int32_t release_for_collectives(void* memory) {
  const NcclResult result = nccl().api.mem_free(memory);
  return result == kNcclSuccess ? kAacoOk : AACO_GPU_FAIL(kAacoDevice, text_of(result, "ncclMemFree"));
}

}  // namespace aaco::gpu
