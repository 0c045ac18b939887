// SPDX-License-Identifier: MIT
// Collectives between devices, of this process or of one process each, through NCCL or RCCL.
#include "device/communicator.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>

#include "device/gpu/device_context.h"
#include "device/gpu/failure.h"
#include "device/gpu/module_functions.h"
#include "device/gpu/nccl_api.h"
#include "device/gpu/vendor_library.h"
#include "device/gpu/vendor_runtime.h"

namespace aaco::gpu {

namespace {

struct Nccl {
  VendorLibrary library{kCollectives};
  NcclApi api{};

  Nccl() {
    library.find(api.get_version, "ncclGetVersion");
    library.find(api.get_error_string, "ncclGetErrorString");
    library.find(api.comm_init_all, "ncclCommInitAll");
    library.find(api.get_unique_id, "ncclGetUniqueId");
    library.find(api.comm_init_rank, "ncclCommInitRank");
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
  }
};

Nccl& nccl() {
  static Nccl the_library;
  return the_library;
}

struct CommunicatorContext {
  std::vector<DeviceContext*> devices;
  std::vector<NcclComm> comms;  // of the ranks of this process, from first_rank on
  int first_rank = 0;
  int ranks = 0;
  bool failed = false;  // the other processes may wait, or be gone: an orderly end would wait for them
};

// One rank's part of one collective.
struct Part {
  const char* send;
  char* receive;
  size_t count;
  size_t bytes;  // of an element
  NcclType type;
  int rank;
  int ranks;
  NcclComm comm;
  gpuStream_t stream;
};

std::optional<NcclType> type_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF32:
      return kNcclFloat32;
    case Dtype::kF16:
      return kNcclFloat16;
    case Dtype::kBf16:
      return kNcclBfloat16;
    case Dtype::kI32:
      return kNcclInt32;
    case Dtype::kU8:
      return kNcclUint8;
  }
  return std::nullopt;
}

NcclResult all_to_all(const NcclApi& api, const Part& part) {
  for (int peer = 0; peer < part.ranks; ++peer) {
    const size_t offset = static_cast<size_t>(peer) * part.count * part.bytes;
    if (const NcclResult sent = api.send(part.send + offset, part.count, part.type, peer, part.comm, part.stream);
        sent != kNcclSuccess) {
      return sent;
    }
    if (const NcclResult got = api.receive(part.receive + offset, part.count, part.type, peer, part.comm, part.stream);
        got != kNcclSuccess) {
      return got;
    }
  }
  return kNcclSuccess;
}

NcclResult enqueue(const NcclApi& api, Collective collective, const Part& part) {
  switch (collective) {
    case Collective::kAllReduce:
      return api.all_reduce(part.send, part.receive, part.count, part.type, kNcclSum, part.comm, part.stream);
    case Collective::kReduceScatter:
      return api.reduce_scatter(part.send, part.receive, part.count, part.type, kNcclSum, part.comm, part.stream);
    case Collective::kAllGather:
      return api.all_gather(part.send, part.receive, part.count, part.type, part.comm, part.stream);
    case Collective::kBroadcast:
      return api.broadcast(part.send, part.receive, part.count, part.type, 0, part.comm, part.stream);
    case Collective::kAllToAll:
      return all_to_all(api, part);
    case Collective::kSendNext:
      if (const NcclResult sent =
              api.send(part.send, part.count, part.type, (part.rank + 1) % part.ranks, part.comm, part.stream);
          sent != kNcclSuccess) {
        return sent;
      }
      return api.receive(part.receive, part.count, part.type, (part.rank + part.ranks - 1) % part.ranks, part.comm,
                         part.stream);
  }
  return kNcclSuccess;
}

std::string text_of(NcclResult result, const char* call) {
  return std::string(call) + ": " + nccl().api.get_error_string(result) + " (" + std::to_string(result) + ')';
}

// The other ranks would wait for one that has failed: then none begins.
bool all_can_begin(const AacoCollectivePart* parts, size_t ranks, int first_rank) {
  const auto failed = std::find_if(parts, parts + ranks, [](const AacoCollectivePart& part) {
    return static_cast<StreamContext*>(part.stream)->failed();
  });
  if (failed == parts + ranks) {
    return true;
  }
  for (size_t rank = 0; rank < ranks; ++rank) {
    static_cast<StreamContext*>(parts[rank].stream)
        ->keep_text(kAacoDevice,
                    "rank " + std::to_string(first_rank + (failed - parts)) +
                        " of a collective had failed: " + static_cast<StreamContext*>(failed->stream)->failure,
                    __FILE__, __LINE__);
  }
  return false;
}

void write_library_name(char* library, size_t size) {
  int version = 0;
  static_cast<void>(nccl().api.get_version(&version));  // 22807 is 2.28.7
  std::snprintf(library, size, "%s %d.%d.%d", kCollectivesName, version / 10000, version / 100 % 100, version % 100);
}

}  // namespace

int32_t communicator_make(void* const* devices, int32_t count, void** communicator, char* library,
                          size_t size) noexcept {
  if (!nccl().library) {
    return AACO_GPU_FAIL(kAacoUnavailable, nccl().library.reason());
  }
  auto made = std::make_unique<CommunicatorContext>();
  std::vector<int> indices;
  for (int32_t rank = 0; rank < count; ++rank) {
    made->devices.push_back(static_cast<DeviceContext*>(devices[rank]));
    indices.push_back(made->devices.back()->limits.index);
  }
  made->comms.resize(static_cast<size_t>(count));
  if (const NcclResult result = nccl().api.comm_init_all(made->comms.data(), count, indices.data());
      result != kNcclSuccess) {
    for (const NcclComm comm : made->comms) {  // of the ranks that had one by then
      if (comm != nullptr) {
        static_cast<void>(nccl().api.comm_abort(comm));
      }
    }
    return AACO_GPU_FAIL(kAacoDevice, text_of(result, "ncclCommInitAll"));
  }
  made->ranks = count;
  write_library_name(library, size);
  *communicator = made.release();
  return kAacoOk;
}

int32_t communicator_id(void* id, size_t size) noexcept {
  if (!nccl().library) {
    return AACO_GPU_FAIL(kAacoUnavailable, nccl().library.reason());
  }
  NcclId made{};
  if (size < sizeof made) {
    return AACO_GPU_FAIL(kAacoUsage, "an id needs " + std::to_string(sizeof made) + " bytes");
  }
  if (const NcclResult result = nccl().api.get_unique_id(&made); result != kNcclSuccess) {
    return AACO_GPU_FAIL(kAacoDevice, text_of(result, "ncclGetUniqueId"));
  }
  std::memcpy(id, &made, sizeof made);
  return kAacoOk;
}

int32_t communicator_join(void* device, const void* id, size_t id_size, int32_t rank, int32_t ranks,
                          void** communicator, char* library, size_t size) noexcept {
  if (!nccl().library) {
    return AACO_GPU_FAIL(kAacoUnavailable, nccl().library.reason());
  }
  NcclId own{};
  if (id_size < sizeof own || rank < 0 || rank >= ranks) {
    return AACO_GPU_FAIL(kAacoUsage, "rank " + std::to_string(rank) + " of " + std::to_string(ranks) + ", an id of " +
                                         std::to_string(id_size) + " bytes");
  }
  std::memcpy(&own, id, sizeof own);
  auto made = std::make_unique<CommunicatorContext>();
  made->devices.push_back(static_cast<DeviceContext*>(device));
  made->comms.resize(1);
  made->first_rank = rank;
  made->ranks = ranks;
  AACO_GPU_TRY(make_current(*made->devices.front()));
  if (const NcclResult result = nccl().api.comm_init_rank(made->comms.data(), ranks, own, rank);
      result != kNcclSuccess) {
    if (made->comms.front() != nullptr) {
      static_cast<void>(nccl().api.comm_abort(made->comms.front()));
    }
    return AACO_GPU_FAIL(kAacoDevice, text_of(result, "ncclCommInitRank"));
  }
  write_library_name(library, size);
  *communicator = made.release();
  return kAacoOk;
}

int32_t communicator_free(void* communicator) noexcept {
  const std::unique_ptr<CommunicatorContext> context(static_cast<CommunicatorContext*>(communicator));
  int32_t status = kAacoOk;
  for (const NcclComm comm : context->comms) {
    const bool elsewhere = context->ranks > static_cast<int>(context->comms.size());
    const auto end = context->failed && elsewhere ? nccl().api.comm_abort : nccl().api.comm_destroy;
    if (const NcclResult result = end(comm); result != kNcclSuccess) {
      status = AACO_GPU_FAIL(kAacoDevice, text_of(result, "ncclCommDestroy"));
    }
  }
  return status;
}

int32_t collective(void* communicator, int32_t collective, const AacoCollectivePart* parts, int64_t count,
                   int32_t dtype) noexcept {
  auto& context = *static_cast<CommunicatorContext*>(communicator);
  const size_t ranks = context.comms.size();  // of this process
  const std::optional<NcclType> type = type_of(static_cast<Dtype>(dtype));
  if (!type) {
    return AACO_GPU_FAIL(kAacoUsage, "no such element type: " + std::to_string(dtype));
  }
  if (!all_can_begin(parts, ranks, context.first_rank)) {
    context.failed = true;
    return kAacoOk;
  }
  const NcclApi& api = nccl().api;
  NcclResult result = api.group_start();
  const bool begun = result == kNcclSuccess;
  for (size_t rank = 0; rank < ranks && result == kNcclSuccess; ++rank) {
    auto& stream = *static_cast<StreamContext*>(parts[rank].stream);
    result =
        enqueue(api, static_cast<Collective>(collective),
                Part{static_cast<const char*>(parts[rank].send), static_cast<char*>(parts[rank].receive),
                     static_cast<size_t>(count), static_cast<size_t>(size_of(static_cast<Dtype>(dtype))), *type,
                     context.first_rank + static_cast<int>(rank), context.ranks, context.comms[rank], stream.stream});
  }
  if (begun) {
    const NcclResult ended = api.group_end();
    result = result != kNcclSuccess ? result : ended;
  }
  if (result != kNcclSuccess) {
    context.failed = true;
    for (size_t rank = 0; rank < ranks; ++rank) {
      static_cast<StreamContext*>(parts[rank].stream)
          ->keep_text(kAacoDevice, text_of(result, "a collective"), __FILE__, __LINE__);
    }
  }
  return kAacoOk;
}

}  // namespace aaco::gpu
