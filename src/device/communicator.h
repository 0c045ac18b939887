// SPDX-License-Identifier: MIT
// Collectives among ranks, a stream each: NCCL or RCCL between devices, in process between CPU devices, and emulated
// where ranks are more than devices (`emulated` says so, and every figure made with it must). The ranks are of one
// process, or each is a process of its own; these find each other by an id that one of them makes and hands over.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/device.h"

namespace aaco {

enum class Collective : int32_t { kAllReduce, kReduceScatter, kAllGather, kAllToAll, kBroadcast, kSendNext };
// "all_reduce"
const char* name_of(Collective collective);

// One rank's part. `count` of the call is in elements of: kAllReduce, kBroadcast, kSendNext the whole buffer;
// kReduceScatter what each rank receives; kAllGather, kAllToAll what each rank sends to each.
// kSendNext: rank r's `send` arrives at rank (r + 1) % ranks' `receive`. Sums are of the data's type.
struct CollectivePart {
  Stream* stream = nullptr;
  const void* send = nullptr;
  void* receive = nullptr;
};

struct CommunicatorInfo {
  int32_t ranks = 1;
  bool emulated = false;
  std::string library;  // "NCCL 2.27.7", "in process", "emulated on one device"
};

// As long as NCCL's ncclUniqueId; what is in it only the backend knows that made it.
struct RankId {
  std::array<char, 128> bytes{};
  friend bool operator==(const RankId&, const RankId&) = default;
};

// How a communicator is to be; 0: as the library chooses.
struct CommunicatorOptions {
  bool copy_engine = false;  // copy engines do what they can, of memory that is registered
  int32_t least_blocks = 0;  // of a kernel: thread blocks, which the library calls CTAs or channels
  int32_t most_blocks = 0;
  // No call waits for other ranks without a limit. NCCL then starts a thread for each collective (its src/group.cc).
  bool nonblocking = false;
  bool registers_memory = false;  // add_memory() will be called
};

// Memory that a communicator has registered; ends before the memory and the communicator do.
class RegisteredMemory {
 public:
  virtual ~RegisteredMemory() = default;
};

class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual const CommunicatorInfo& info() const = 0;
  // Of kind kCollective, for collectives by symmetric memory or copy engines. All ranks add alike, in one order, and
  // all wait for each other. Errors: kUnavailable where the library or the devices have no such thing, with the reason.
  virtual Result<std::unique_ptr<RegisteredMemory>> add_memory(const Buffer& memory);
  // One part per rank of this process, in their order; enqueues on all their streams. Failures are the streams'.
  virtual void enqueue(Collective collective, std::span<const CollectivePart> parts, int64_t count, Dtype dtype) = 0;
};

// Bytes that each rank must at least send for the collective, by which bus bandwidth is counted (nccl-tests,
// PERFORMANCE.md): all-reduce 2 (n-1)/n, reduce-scatter, all-gather and all-to-all (n-1)/n of the whole, others the
// whole.
double bus_bytes(Collective collective, int64_t count, Dtype dtype, int32_t ranks);

// For one device: `ranks` ranks, of which only the first exists. The others are taken to hold the same data, and what
// would cross the link is copied within the device.
std::unique_ptr<Communicator> make_emulated_communicator(Device& device, int32_t ranks);
// For several CPU devices. A collective begins when the streams of all ranks have come to it.
std::unique_ptr<Communicator> make_cpu_communicator(int32_t ranks);
// For CPU devices of several processes, one rank each: what all send goes through rank 0, over sockets. A rank that
// ends or fails fails the others, at once. Errors: kResource where the others do not come within a minute.
RankId make_cpu_rank_id();
// For processes of several machines: this process, which will join as rank 0, listens from now on, and `address` is
// where the others find its machine. Errors: kResource; kUsage for what is no address.
Result<RankId> make_cpu_rank_id_at(const std::string& address);
Result<std::unique_ptr<Communicator>> join_cpu_communicator(const RankId& id, int32_t rank, int32_t ranks);

}  // namespace aaco
