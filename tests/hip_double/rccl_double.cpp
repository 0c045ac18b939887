// SPDX-License-Identifier: MIT
// The part of RCCL that the module calls, on streams of the double: what a group holds is one piece of work, which the
// streams of all its ranks wait for and which waits for them. A wrong use fails, and is counted.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "device/ops/dtype.h"
#include "memory.h"
#include "observer.h"

namespace aaco::hip_double {
struct Meeting;
}

struct ncclComm {
  int rank = 0;
  int ranks = 1;
  int device = 0;
  std::shared_ptr<aaco::hip_double::Meeting> meeting;  // of ranks that joined one by one
};

struct ncclUniqueId {
  char internal[128];
};

namespace aaco::hip_double {
namespace {

constexpr int kSuccess = 0;
constexpr int kHipFailed = 1;
constexpr int kInvalidUsage = 5;
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
}  // namespace

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

namespace {

std::mutex meetings_mutex;
std::map<std::string, std::shared_ptr<Meeting>>& meetings() {
  static std::map<std::string, std::shared_ptr<Meeting>> by_id;
  return by_id;
}

std::atomic<int> live_communicators{0};
std::atomic<int> misuses{0};

struct Group {
  int depth = 0;
  int failure = 0;  // of a call in it: the end launches nothing, and returns it
  std::vector<Call> calls;
};
Group& group() {
  thread_local Group of_this_thread;
  return of_this_thread;
}

int misuse(const char* what) {
  ++misuses;
  say(std::string("rccl: ") + what);
  return kInvalidUsage;
}

size_t bytes_of(int type) { return type == kUint8 ? 1 : type == kFloat16 || type == kBfloat16 ? 2 : 4; }

double value_at(const void* data, size_t i, int type) {
  switch (type) {
    case kUint8:
      return static_cast<const uint8_t*>(data)[i];
    case kInt32:
      return static_cast<const int32_t*>(data)[i];
    case kFloat16:
      return to_float(static_cast<const Half*>(data)[i]);
    case kBfloat16:
      return to_float(static_cast<const Bfloat16*>(data)[i]);
    default:
      return static_cast<const float*>(data)[i];
  }
}

void put(void* data, size_t i, int type, double value) {
  switch (type) {
    case kUint8:
      static_cast<uint8_t*>(data)[i] = static_cast<uint8_t>(value);
      break;
    case kInt32:
      static_cast<int32_t*>(data)[i] = static_cast<int32_t>(value);
      break;
    case kFloat16:
      static_cast<Half*>(data)[i] = to_half(static_cast<float>(value));
      break;
    case kBfloat16:
      static_cast<Bfloat16*>(data)[i] = to_bfloat16(static_cast<float>(value));
      break;
    default:
      static_cast<float*>(data)[i] = static_cast<float>(value);
      break;
  }
}

using Bytes = std::vector<char>;

Bytes copy_of(const void* data, size_t bytes) {
  const auto* first = static_cast<const char*>(data);
  return {first, first + bytes};
}

// What ranks send is read before anything is written: they may send what they receive into.
void run_collective(const std::vector<Call>& by_rank) {
  const Call& any = by_rank.front();
  const size_t ranks = by_rank.size();
  const size_t sent = any.kind == Kind::kReduceScatter ? any.count * ranks : any.count;
  std::vector<Bytes> parts;
  for (const Call& call : by_rank) {
    parts.push_back(copy_of(call.send, sent * bytes_of(any.type)));
  }
  const size_t bytes = any.count * bytes_of(any.type);
  for (size_t rank = 0; rank < ranks; ++rank) {
    auto* const receive = static_cast<char*>(by_rank[rank].receive);
    if (any.kind == Kind::kBroadcast) {
      std::memcpy(receive, parts[static_cast<size_t>(any.peer)].data(), bytes);
      continue;
    }
    for (size_t from = 0; any.kind == Kind::kAllGather && from < ranks; ++from) {
      std::memcpy(receive + from * bytes, parts[from].data(), bytes);
    }
    const size_t first = any.kind == Kind::kReduceScatter ? rank * any.count : 0;
    for (size_t i = 0; any.kind != Kind::kAllGather && i < any.count; ++i) {
      double sum = 0;
      for (const Bytes& part : parts) {
        sum += value_at(part.data(), first + i, any.type);
      }
      put(receive, i, any.type, sum);
    }
  }
}

// Sends and receives of each pair of ranks, in their order.
bool run_transfers(const std::vector<Call>& calls) {
  std::map<std::pair<int, int>, std::vector<std::pair<size_t, Bytes>>> sent;
  for (const Call& call : calls) {
    if (call.kind == Kind::kSend) {
      sent[{call.comm->rank, call.peer}].emplace_back(call.count, copy_of(call.send, call.count * bytes_of(call.type)));
    }
  }
  for (const Call& call : calls) {
    if (call.kind == Kind::kReceive) {
      auto& waiting = sent[{call.peer, call.comm->rank}];
      if (waiting.empty() || waiting.front().first != call.count) {
        return false;
      }
      std::memcpy(call.receive, waiting.front().second.data(), waiting.front().second.size());
      waiting.erase(waiting.begin());
    }
  }
  return true;
}

bool is_transfer(const Call& call) { return call.kind == Kind::kSend || call.kind == Kind::kReceive; }

// The n-th collective of each rank belong together.
hipError_t run_group(const std::vector<Call>& calls) {
  std::map<int, std::vector<Call>> by_rank;
  for (const Call& call : calls) {
    if (!is_transfer(call)) {
      by_rank[call.comm->rank].push_back(call);
    }
  }
  for (size_t n = 0; !by_rank.empty() && n < by_rank.begin()->second.size(); ++n) {
    std::vector<Call> together;
    for (const auto& [rank, own] : by_rank) {
      if (n >= own.size() || own[n].count != own.front().count || own[n].kind != by_rank.begin()->second[n].kind) {
        misuse("ranks do not agree on a collective");
        return hipErrorLaunchFailure;
      }
      together.push_back(own[n]);
    }
    if (together.size() != static_cast<size_t>(together.front().comm->ranks)) {
      misuse("a collective lacks a rank");
      return hipErrorLaunchFailure;
    }
    run_collective(together);
  }
  if (!run_transfers(calls)) {
    misuse("a receive without its send");
    return hipErrorLaunchFailure;
  }
  return hipSuccess;
}

// `to` goes on when all that `from` was given so far is done.
hipError_t order(hipStream_t from, hipStream_t to) {
  hipEvent_t event = nullptr;
  hipError_t status = hipSetDevice(from->device);
  status = status != hipSuccess ? status : hipEventCreateWithFlags(&event, hipEventDisableTiming);
  status = status != hipSuccess ? status : hipEventRecord(event, from);
  status = status != hipSuccess ? status : hipStreamWaitEvent(to, event, 0);
  return status != hipSuccess ? status : hipEventDestroy(event);
}

int submit_group(const std::vector<Call>& calls) {
  const int before = current_device();
  hipStream_t main = calls.front().stream;
  std::set<hipStream_t> others;
  for (const Call& call : calls) {
    if (call.stream->device != call.comm->device) {
      return misuse("a stream of another device than its rank's");
    }
    if (call.stream != main) {
      others.insert(call.stream);
    }
  }
  hipError_t status = hipSuccess;
  for (hipStream_t other : others) {
    status = status != hipSuccess ? status : order(other, main);
  }
  if (status == hipSuccess) {
    const std::lock_guard lock(api_mutex());
    const WorkRecord kernel{.kernel = "ncclKernel_of_the_double", .device = main->device};
    status = submit(*main, hipGraphNodeTypeKernel, observed(kernel, [calls] { return run_group(calls); }));
  }
  for (hipStream_t other : others) {
    status = status != hipSuccess ? status : order(main, other);
  }
  current_device() = before;
  return status == hipSuccess ? kSuccess : kHipFailed;
}

int submit_together(Meeting& meeting, const std::vector<Call>& own) {
  std::unique_lock lock(meeting.mutex);
  meeting.calls.insert(meeting.calls.end(), own.begin(), own.end());
  const uint64_t round = meeting.rounds;
  if (++meeting.here < own.front().comm->ranks) {
    meeting.changed.wait(lock, [&] { return meeting.rounds != round; });
    return meeting.result;
  }
  meeting.result = submit_group(std::exchange(meeting.calls, {}));
  meeting.here = 0;
  ++meeting.rounds;
  meeting.changed.notify_all();
  return meeting.result;
}

int add(const Call& call) {
  if (group().depth == 0) {
    return misuse("a call outside of a group, with several ranks in one thread");
  }
  if (call.comm == nullptr || call.stream == nullptr) {
    return misuse("no communicator, or no stream");
  }
  group().calls.push_back(call);
  return kSuccess;
}

}  // namespace
}  // namespace aaco::hip_double

using namespace aaco::hip_double;

// At the start of a call: fails where the environment wants it.
#define RCCL_DOUBLE_CALL()                                                    \
  if (const int wanted = static_cast<int>(injected(__func__)); wanted != 0) { \
    group().failure = group().depth > 0 ? wanted : 0;                         \
    return wanted;                                                            \
  }

extern "C" {

int rccl_double_live_communicators() { return live_communicators; }
int rccl_double_misuses() { return misuses; }

int ncclGetVersion(int* version) {
  *version = 21'100;
  return kSuccess;
}

const char* ncclGetErrorString(int result) { return result == kInvalidUsage ? "invalid usage" : "unhandled error"; }

// Where it is wanted to fail, all ranks but the last have a communicator by then.
int ncclCommInitAll(ncclComm** comms, int devices, const int* list) {
  const int wanted = static_cast<int>(injected(__func__));
  for (int rank = 0; rank < devices - (wanted != 0 ? 1 : 0); ++rank) {
    comms[rank] = new ncclComm{rank, devices, list[rank], nullptr};
    ++live_communicators;
  }
  return wanted;
}

int ncclGetUniqueId(ncclUniqueId* id) {
  RCCL_DOUBLE_CALL();
  static std::atomic<int> made{0};
  *id = {};
  std::snprintf(id->internal, sizeof id->internal, "double %d", ++made);
  const std::lock_guard lock(meetings_mutex);
  meetings()[id->internal] = std::make_shared<Meeting>();
  return kSuccess;
}

// Returns when all have come, on the device that is current.
int ncclCommInitRank(ncclComm** comm, int ranks, ncclUniqueId id, int rank) {
  RCCL_DOUBLE_CALL();
  std::shared_ptr<Meeting> meeting;
  {
    const std::lock_guard lock(meetings_mutex);
    const auto found = meetings().find(id.internal);
    if (found == meetings().end()) {
      return misuse("an id that was not made");
    }
    meeting = found->second;
  }
  *comm = new ncclComm{rank, ranks, current_device(), meeting};
  ++live_communicators;
  std::unique_lock lock(meeting->mutex);
  ++meeting->joined;
  meeting->changed.notify_all();
  meeting->changed.wait(lock, [&] { return meeting->joined >= ranks; });
  return kSuccess;
}

int ncclCommDestroy(ncclComm* comm) {
  delete comm;
  --live_communicators;
  return kSuccess;
}

int ncclCommAbort(ncclComm* comm) { return ncclCommDestroy(comm); }

int ncclGroupStart() {
  RCCL_DOUBLE_CALL();
  ++group().depth;
  return kSuccess;
}

int ncclGroupEnd() {
  if (group().depth == 0) {
    return misuse("the end of a group that was not begun");
  }
  std::vector<Call> calls;
  int failure = 0;
  if (--group().depth == 0) {
    calls.swap(group().calls);
    std::swap(failure, group().failure);
  }
  RCCL_DOUBLE_CALL();
  if (failure != 0) {
    return failure;
  }
  if (calls.empty()) {
    return kSuccess;
  }
  const auto& meeting = calls.front().comm->meeting;
  return meeting ? submit_together(*meeting, calls) : submit_group(calls);
}

int ncclAllReduce(const void* send, void* receive, size_t count, int type, int /*sum*/, ncclComm* comm,
                  hipStream_t stream) {
  RCCL_DOUBLE_CALL();
  return add({Kind::kAllReduce, send, receive, count, type, 0, comm, stream});
}

int ncclReduceScatter(const void* send, void* receive, size_t count, int type, int /*sum*/, ncclComm* comm,
                      hipStream_t stream) {
  RCCL_DOUBLE_CALL();
  return add({Kind::kReduceScatter, send, receive, count, type, 0, comm, stream});
}

int ncclAllGather(const void* send, void* receive, size_t count, int type, ncclComm* comm, hipStream_t stream) {
  RCCL_DOUBLE_CALL();
  return add({Kind::kAllGather, send, receive, count, type, 0, comm, stream});
}

int ncclBroadcast(const void* send, void* receive, size_t count, int type, int root, ncclComm* comm,
                  hipStream_t stream) {
  RCCL_DOUBLE_CALL();
  return add({Kind::kBroadcast, send, receive, count, type, root, comm, stream});
}

int ncclSend(const void* data, size_t count, int type, int peer, ncclComm* comm, hipStream_t stream) {
  RCCL_DOUBLE_CALL();
  return add({Kind::kSend, data, nullptr, count, type, peer, comm, stream});
}

int ncclRecv(void* data, size_t count, int type, int peer, ncclComm* comm, hipStream_t stream) {
  RCCL_DOUBLE_CALL();
  return add({Kind::kReceive, nullptr, data, count, type, peer, comm, stream});
}

}  // extern "C"
