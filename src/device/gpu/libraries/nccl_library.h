// SPDX-License-Identifier: MIT
// NCCL or RCCL, opened on first need, and waiting for what it does in the background.
#pragma once

#include <chrono>
#include <string>

#include "device/gpu/libraries/nccl_api.h"
#include "device/gpu/libraries/vendor_library.h"

namespace aaco::gpu {

struct NcclLibrary {
  VendorLibrary library;
  NcclApi api{};
  int version = 0;  // 22807 is 2.28.7

  NcclLibrary();
};

NcclLibrary& nccl();

// "NCCL 2.28.7".
std::string nccl_name();
// "ncclCommInitRankConfig: unhandled system error (2)".
std::string text_of(NcclResult result, const char* call);

// What a call that did not wait has become of: kNcclInProgress where it is not done after `longest`.
NcclResult settle(NcclComm comm, NcclResult called, std::chrono::nanoseconds longest);

// Memory of the current device that can be registered. AacoStatus.
int32_t allocate_for_collectives(size_t bytes, void** memory);
int32_t release_for_collectives(void* memory);

}  // namespace aaco::gpu
