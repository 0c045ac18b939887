// SPDX-License-Identifier: MIT
// What the files of RCCL's double share: a communicator, a call of a group, and what the calls of a group do.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "memory.h"

namespace aaco::hip_double {
struct Meeting;
}

struct ncclComm {
  int rank = 0;
  int ranks = 1;
  int device = 0;
  std::shared_ptr<aaco::hip_double::Meeting> meeting;  // of ranks that joined one by one
  bool zero_ctas = false;
  std::map<const void*, size_t> windows;  // by where they begin, how long they are
};

struct ncclUniqueId {
  char internal[128];
};

namespace aaco::hip_double {

constexpr int kSuccess = 0;
constexpr int kHipFailed = 1;
constexpr int kInvalidUsage = 5;
constexpr int kInProgress = 7;
enum Type : int { kUint8 = 1, kInt32 = 2, kFloat16 = 6, kFloat32 = 7, kBfloat16 = 9 };
enum class Kind { kAllReduce, kReduceScatter, kAllGather, kBroadcast, kSend, kReceive };

struct Call {
  Kind kind;
  const void* send;
  void* receive;
  size_t count;
  int type;
  int peer;  // of broadcasts the root
  ncclComm* comm;
  hipStream_t stream;
};

// As the double reads it; aaco's is src/device/gpu/libraries/nccl_api.h.
struct Config {
  size_t size;
  unsigned magic;
  unsigned version;
  int blocking;
  int cluster_size;
  int least_ctas;
  int most_ctas;
  const char* net_name;
  int split_share;
  int traffic_class;
  const char* name;
  int collnet;
  int cta_policy;
};

// Ranks that joined one by one are threads here. Each brings its group, and the last one submits all of them as one.
struct Meeting {
  std::mutex mutex;
  std::condition_variable changed;
  int joined = 0;
  int here = 0;
  uint64_t rounds = 0;
  int result = 0;
  std::vector<Call> calls;
};

// Counted, and said.
int misuse(const char* what);
int misuses_so_far();
size_t bytes_of(int type);
// What the calls of a group do to the memory of all its ranks.
hipError_t run_group(const std::vector<Call>& calls);

}  // namespace aaco::hip_double
