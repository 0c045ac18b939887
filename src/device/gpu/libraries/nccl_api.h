// SPDX-License-Identifier: MIT
// The part of NCCL 2 that we call, which RCCL has under the same names. Declared here rather than included: the library
// is opened at run time, its wheel is 300 MB, and these have not changed since they came. Checked against nccl.h of
// NCCL 2.28 and 2.32 and rccl.h of 2.27.
#pragma once

#include <cstddef>

#include "device/gpu/vendor.h"

namespace aaco::gpu {

struct NcclCommunicator;  // opaque
using NcclComm = NcclCommunicator*;
struct NcclWindowOfMemory;  // opaque
using NcclWindow = NcclWindowOfMemory*;

enum NcclResult : int { kNcclSuccess = 0, kNcclInProgress = 7 };
enum NcclType : int { kNcclUint8 = 1, kNcclInt32 = 2, kNcclFloat16 = 6, kNcclFloat32 = 7, kNcclBfloat16 = 9 };
enum NcclReduction : int { kNcclSum = 0 };

// Handed over by value.
struct NcclId {
  char internal[128];
};

// As NCCL 2.28 has it; an older library reads no further than it knows, a newer one gives the rest its defaults, by
// size and version. Members that are not set are the library's choice.
struct NcclConfig {
  static constexpr int kUnset = -2147483647 - 1;
  static constexpr int kZeroCtas = 2;  // of cta_policy, from NCCL 2.28 on: copy engines where they can

  size_t size = sizeof(NcclConfig);
  unsigned magic = 0xcafebeef;
  unsigned version = 22800;
  int blocking = kUnset;
  int cluster_size = kUnset;
  int least_ctas = kUnset;
  int most_ctas = kUnset;
  const char* net_name = nullptr;
  int split_share = kUnset;
  int traffic_class = kUnset;
  const char* name = nullptr;
  int collnet = kUnset;
  int cta_policy = kUnset;
  int shrink_share = kUnset;
  int nvls_ctas = kUnset;
  int channels_per_peer = kUnset;
  int nvlink_centric = kUnset;
};

constexpr int kNcclWindowSymmetric = 1;
// Versions as ncclGetVersion() gives them.
constexpr int kNcclWithWindows = 22700;
constexpr int kNcclWithCopyEngines = 22800;

struct NcclApi {
  NcclResult (*get_version)(int* version);
  const char* (*get_error_string)(NcclResult result);
  NcclResult (*comm_init_all)(NcclComm* comms, int devices, const int* list);
  NcclResult (*get_unique_id)(NcclId* id);
  // Since 2.14.
  NcclResult (*comm_init_rank_config)(NcclComm* comm, int ranks, NcclId id, int rank, NcclConfig* config);
  NcclResult (*comm_get_async_error)(NcclComm comm, NcclResult* state);
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

  // Null where the library is older: memory since 2.19, windows since 2.27.
  NcclResult (*mem_alloc)(void** memory, size_t bytes);
  NcclResult (*mem_free)(void* memory);
  NcclResult (*window_register)(NcclComm comm, void* memory, size_t bytes, NcclWindow* window, int flags);
  NcclResult (*window_deregister)(NcclComm comm, NcclWindow window);
};

}  // namespace aaco::gpu
