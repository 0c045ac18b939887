// SPDX-License-Identifier: MIT
// Collectives, enqueued through NCCL or RCCL.
#include <algorithm>
#include <chrono>
#include <optional>

#include "device/communicator.h"
#include "device/gpu/communicator_context.h"
#include "device/gpu/failure.h"
#include "device/gpu/libraries/nccl_library.h"
#include "device/gpu/module_functions.h"

namespace aaco::gpu {

namespace {

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

constexpr auto kPatience = std::chrono::minutes(10);

bool is_fine(NcclResult result) { return result == kNcclSuccess || result == kNcclInProgress; }

void keep_for_all(const AacoCollectivePart* parts, size_t ranks, const std::string& text) {
  for (size_t rank = 0; rank < ranks; ++rank) {
    static_cast<StreamContext*>(parts[rank].stream)->keep_text(kAacoDevice, text, __FILE__, __LINE__);
  }
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

}  // namespace

int32_t collective(void* communicator, int32_t collective, const AacoCollectivePart* parts, int64_t count,
                   int32_t dtype) noexcept {
  auto& context = *static_cast<CommunicatorContext*>(communicator);
  const size_t ranks = context.comms().size();  // of this process
  const std::optional<NcclType> type = type_of(static_cast<Dtype>(dtype));
  if (!type) {
    return AACO_GPU_FAIL(kAacoUsage, "no such element type: " + std::to_string(dtype));
  }
  if (!all_can_begin(parts, ranks, context.first_rank())) {
    context.fail("a collective did not begin", false);
    return kAacoOk;
  }
  if (const std::string failure = context.failure(); !failure.empty()) {
    keep_for_all(parts, ranks, failure);
    return kAacoOk;
  }
  const NcclApi& api = nccl().api;
  NcclResult result = api.group_start();
  const bool begun = is_fine(result);
  for (size_t rank = 0; rank < ranks && is_fine(result); ++rank) {
    auto& stream = *static_cast<StreamContext*>(parts[rank].stream);
    result = enqueue(
        api, static_cast<Collective>(collective),
        Part{static_cast<const char*>(parts[rank].send), static_cast<char*>(parts[rank].receive),
             static_cast<size_t>(count), static_cast<size_t>(size_of(static_cast<Dtype>(dtype))), *type,
             context.first_rank() + static_cast<int>(rank), context.ranks(), context.comms()[rank], stream.stream});
  }
  if (begun) {
    const NcclResult ended = api.group_end();
    result = is_fine(result) ? ended : result;
  }
  // The first of a communicator connects, and is done when the others have come to it.
  for (size_t rank = 0; rank < ranks && result == kNcclInProgress; ++rank) {
    result = settle(context.comms()[rank], result, kPatience);
    result = result == kNcclSuccess && rank + 1 < ranks ? kNcclInProgress : result;
  }
  if (result != kNcclSuccess) {
    const std::string text = result == kNcclInProgress ? "a collective: the other ranks have not come to it"
                                                       : text_of(result, "a collective");
    context.fail(text, true);
    keep_for_all(parts, ranks, text);
  }
  return kAacoOk;
}

}  // namespace aaco::gpu
