// SPDX-License-Identifier: MIT
// Collectives between the devices of this process, through NCCL or RCCL.
#include "device/communicator.h"

#include <algorithm>
#include <cstdio>
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
  std::vector<NcclComm> comms;
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
bool all_can_begin(const AacoCollectivePart* parts, size_t ranks) {
  const auto failed = std::find_if(parts, parts + ranks, [](const AacoCollectivePart& part) {
    return static_cast<StreamContext*>(part.stream)->failed();
  });
  if (failed == parts + ranks) {
    return true;
  }
  for (size_t rank = 0; rank < ranks; ++rank) {
    static_cast<StreamContext*>(parts[rank].stream)
        ->keep_text(kAacoDevice,
                    "rank " + std::to_string(failed - parts) +
                        " of a collective had failed: " + static_cast<StreamContext*>(failed->stream)->failure,
                    __FILE__, __LINE__);
  }
  return false;
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
  int version = 0;
  static_cast<void>(nccl().api.get_version(&version));  // 22807 is 2.28.7
  std::snprintf(library, size, "%s %d.%d.%d", kCollectivesName, version / 10000, version / 100 % 100, version % 100);
  *communicator = made.release();
  return kAacoOk;
}

int32_t communicator_free(void* communicator) noexcept {
  const std::unique_ptr<CommunicatorContext> context(static_cast<CommunicatorContext*>(communicator));
  int32_t status = kAacoOk;
  for (const NcclComm comm : context->comms) {
    if (const NcclResult result = nccl().api.comm_destroy(comm); result != kNcclSuccess) {
      status = AACO_GPU_FAIL(kAacoDevice, text_of(result, "ncclCommDestroy"));
    }
  }
  return status;
}

int32_t collective(void* communicator, int32_t collective, const AacoCollectivePart* parts, int64_t count,
                   int32_t dtype) noexcept {
  auto& context = *static_cast<CommunicatorContext*>(communicator);
  const size_t ranks = context.comms.size();
  const std::optional<NcclType> type = type_of(static_cast<Dtype>(dtype));
  if (!type) {
    return AACO_GPU_FAIL(kAacoUsage, "no such element type: " + std::to_string(dtype));
  }
  if (!all_can_begin(parts, ranks)) {
    return kAacoOk;
  }
  const NcclApi& api = nccl().api;
  NcclResult result = api.group_start();
  const bool begun = result == kNcclSuccess;
  for (size_t rank = 0; rank < ranks && result == kNcclSuccess; ++rank) {
    auto& stream = *static_cast<StreamContext*>(parts[rank].stream);
    result = enqueue(api, static_cast<Collective>(collective),
                     Part{static_cast<const char*>(parts[rank].send), static_cast<char*>(parts[rank].receive),
                          static_cast<size_t>(count), static_cast<size_t>(size_of(static_cast<Dtype>(dtype))), *type,
                          static_cast<int>(rank), static_cast<int>(ranks), context.comms[rank], stream.stream});
  }
  if (begun) {
    const NcclResult ended = api.group_end();
    result = result != kNcclSuccess ? result : ended;
  }
  if (result != kNcclSuccess) {
    for (size_t rank = 0; rank < ranks; ++rank) {
      static_cast<StreamContext*>(parts[rank].stream)
          ->keep_text(kAacoDevice, text_of(result, "a collective"), __FILE__, __LINE__);
    }
  }
  return kAacoOk;
}

}  // namespace aaco::gpu
