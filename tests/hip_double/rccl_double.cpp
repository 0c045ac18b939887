// SPDX-License-Identifier: MIT
// The part of RCCL that the module calls, on streams of the double: what a group holds is one piece of work, which the
// streams of all its ranks wait for and which waits for them. A wrong use fails, and is counted.
#include "rccl_double.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "memory.h"
#include "observer.h"

namespace aaco::hip_double {
namespace {

std::mutex meetings_mutex;
std::map<std::string, std::shared_ptr<Meeting>>& meetings() {
  static std::map<std::string, std::shared_ptr<Meeting>> by_id;
  return by_id;
}

std::atomic<int> live_communicators{0};
std::atomic<int> live_windows{0};
std::atomic<int> aborts{0};
std::atomic<int> most_ctas{0};
std::map<void*, size_t>& collective_memory() {
  static std::map<void*, size_t> by_address;
  return by_address;
}

struct Group {
  int depth = 0;
  int failure = 0;  // of a call in it: the end launches nothing, and returns it
  std::vector<Call> calls;
};
Group& group() {
  thread_local Group of_this_thread;
  return of_this_thread;
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

bool is_in_window(const Call& call, const void* data) {
  return std::any_of(call.comm->windows.begin(), call.comm->windows.end(), [&](const auto& window) {
    const auto* const begin = static_cast<const char*>(window.first);
    return data >= begin && data < begin + window.second;
  });
}

// What a profiler sees of it: an own kernel for memory that is registered, and no kernel where copy engines do it.
WorkRecord record_of(const std::vector<Call>& calls) {
  const Call& first = calls.front();
  const bool registered = std::all_of(calls.begin(), calls.end(), [](const Call& call) {
    return is_in_window(call, call.send) && is_in_window(call, call.receive);
  });
  WorkRecord record{.kernel = registered ? "ncclSymkDevKernel_of_the_double" : "ncclKernel_of_the_double",
                    .device = first.stream->device};
  if (registered && first.comm->zero_ctas && first.kind == Kind::kAllGather) {
    record.kernel.clear();
    record.bytes = first.count * bytes_of(first.type);
  }
  return record;
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
    status = submit(*main, hipGraphNodeTypeKernel, observed(record_of(calls), [calls] { return run_group(calls); }));
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
int rccl_double_misuses() { return misuses_so_far(); }

int rccl_double_live_windows() { return live_windows; }
int rccl_double_aborts() { return aborts; }
int rccl_double_most_ctas() { return most_ctas; }

int ncclGetVersion(int* version) {
  const char* const wanted = std::getenv("AACO_RCCL_DOUBLE_VERSION");
  *version = wanted == nullptr ? 22'803 : std::atoi(wanted);
  return kSuccess;
}

const char* ncclGetErrorString(int result) { return result == kInvalidUsage ? "invalid usage" : "unhandled error"; }

// Where it is wanted to fail, all ranks but the last have a communicator by then.
int ncclCommInitAll(ncclComm** comms, int devices, const int* list) {
  const int wanted = static_cast<int>(injected(__func__));
  for (int rank = 0; rank < devices - (wanted != 0 ? 1 : 0); ++rank) {
    comms[rank] = new ncclComm{rank, devices, list[rank], nullptr, false, {}};
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

// On the device that is current. It waits until all have come, or is told not to: then ncclCommGetAsyncError tells
// when.
int ncclCommInitRankConfig(ncclComm** comm, int ranks, ncclUniqueId id, int rank, const Config* config) {
  RCCL_DOUBLE_CALL();
  constexpr unsigned kMagic = 0xcafebeef;
  if (config->size < sizeof(Config) || config->magic != kMagic) {
    return misuse("a configuration that was not initialised");
  }
  std::shared_ptr<Meeting> meeting;
  {
    const std::lock_guard lock(meetings_mutex);
    const auto found = meetings().find(id.internal);
    if (found == meetings().end()) {
      return misuse("an id that was not made");
    }
    meeting = found->second;
  }
  constexpr int kZeroCtas = 2;
  *comm = new ncclComm{rank, ranks, current_device(), meeting, config->cta_policy == kZeroCtas, {}};
  ++live_communicators;
  most_ctas = config->most_ctas;
  std::unique_lock lock(meeting->mutex);
  ++meeting->joined;
  meeting->changed.notify_all();
  if (config->blocking != 0) {
    meeting->changed.wait(lock, [&] { return meeting->joined >= ranks; });
  }
  return meeting->joined >= ranks ? kSuccess : kInProgress;
}

// Injected, a failure is what the library has noticed, in whatever communicator.
int ncclCommGetAsyncError(const ncclComm* comm, int* state) {
  *state = static_cast<int>(injected(__func__));
  if (*state == kSuccess && comm->meeting) {
    const std::lock_guard lock(comm->meeting->mutex);
    *state = comm->meeting->joined >= comm->ranks ? kSuccess : kInProgress;
  }
  return kSuccess;
}

int ncclMemAlloc(void** memory, size_t bytes) {
  RCCL_DOUBLE_CALL();
  if (hipMalloc(memory, bytes) != hipSuccess) {
    return kHipFailed;
  }
  const std::lock_guard lock(meetings_mutex);
  collective_memory()[*memory] = bytes;
  return kSuccess;
}

int ncclMemFree(void* memory) {
  RCCL_DOUBLE_CALL();
  const std::lock_guard lock(meetings_mutex);
  return collective_memory().erase(memory) == 1 && hipFree(memory) == hipSuccess ? kSuccess
                                                                                 : misuse("no memory of ncclMemAlloc");
}

// AACO_RCCL_DOUBLE_NO_WINDOWS: as between devices that do not reach each other's memory.
int ncclCommWindowRegister(ncclComm* comm, void* memory, size_t bytes, void** window, int flags) {
  RCCL_DOUBLE_CALL();
  const std::lock_guard lock(meetings_mutex);
  const auto found = collective_memory().find(memory);
  if (found == collective_memory().end() || found->second != bytes || flags != 1) {
    return misuse("a window of what is not all of ncclMemAlloc's memory");
  }
  if (std::getenv("AACO_RCCL_DOUBLE_NO_WINDOWS") != nullptr) {
    *window = nullptr;
    return kSuccess;
  }
  comm->windows[memory] = bytes;
  ++live_windows;
  *window = memory;
  return kSuccess;
}

int ncclCommWindowDeregister(ncclComm* comm, void* window) {
  RCCL_DOUBLE_CALL();
  const std::lock_guard lock(meetings_mutex);
  live_windows -= static_cast<int>(comm->windows.erase(window));
  return kSuccess;
}

int ncclCommDestroy(ncclComm* comm) {
  live_windows -= static_cast<int>(comm->windows.size());
  delete comm;
  --live_communicators;
  return kSuccess;
}

int ncclCommAbort(ncclComm* comm) {
  ++aborts;
  return ncclCommDestroy(comm);
}

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
