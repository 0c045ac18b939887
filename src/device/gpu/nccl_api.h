// SPDX-License-Identifier: MIT
// The part of NCCL 2 that we call, which RCCL has under the same names. Declared here rather than included: the library
// is opened at run time, its wheel is 300 MB, and these have not changed since NCCL 2.10. Checked against nccl.h of
// NCCL 2.32 and rccl.h of 2.13.
#pragma once

#include <cstddef>

#include "device/gpu/vendor.h"

namespace aaco::gpu {

struct NcclCommunicator;  // opaque
using NcclComm = NcclCommunicator*;

enum NcclResult : int { kNcclSuccess = 0 };
enum NcclType : int { kNcclUint8 = 1, kNcclInt32 = 2, kNcclFloat16 = 6, kNcclFloat32 = 7, kNcclBfloat16 = 9 };
enum NcclReduction : int { kNcclSum = 0 };

// Handed over by value.
struct NcclId {
  char internal[128];
};

struct NcclApi {
  NcclResult (*get_version)(int* version);
  const char* (*get_error_string)(NcclResult result);
  NcclResult (*comm_init_all)(NcclComm* comms, int devices, const int* list);
  NcclResult (*get_unique_id)(NcclId* id);
  NcclResult (*comm_init_rank)(NcclComm* comm, int ranks, NcclId id, int rank);
  NcclResult (*comm_destroy)(NcclComm comm);
  NcclResult (*comm_abort)(NcclComm comm);
  NcclResult (*group_start)();
  NcclResult (*group_end)();
  NcclResult (*all_reduce)(const void* send, void* receive, size_t count, NcclType type, NcclReduction reduction,
                           NcclComm comm, gpuStream_t stream);
  NcclResult (*reduce_scatter)(const void* send, void* receive, size_t receive_count, NcclType type,
                               NcclReduction reduction, NcclComm comm, gpuStream_t stream);
  NcclResult (*all_gather)(const void* send, void* receive, size_t send_count, NcclType type, NcclComm comm,
                           gpuStream_t stream);
  NcclResult (*broadcast)(const void* send, void* receive, size_t count, NcclType type, int root, NcclComm comm,
                          gpuStream_t stream);
  NcclResult (*send)(const void* data, size_t count, NcclType type, int peer, NcclComm comm, gpuStream_t stream);
  NcclResult (*receive)(void* data, size_t count, NcclType type, int peer, NcclComm comm, gpuStream_t stream);
};

}  // namespace aaco::gpu
