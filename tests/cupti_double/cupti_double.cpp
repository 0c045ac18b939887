// SPDX-License-Identifier: MIT
#include "cupti_double.h"

#include <cstdlib>
#include <cstring>
#include <cupti.h>
#include <map>
#include <mutex>
#include <set>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#define DOUBLE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

struct Buffer {
  uint8_t* memory = nullptr;
  size_t size = 0;
  size_t used = 0;
  bool running = false;  // holds a record without an end
};

struct State {
  std::mutex mutex;
  std::map<int, Buffer> buffers;  // by thread
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  CUpti_TimestampCallbackFunc now = nullptr;
  std::set<int> kinds;
  std::set<std::pair<int, uint32_t>> calls;  // kind, callback id
  size_t dropped = 0;
  uint32_t correlation = 0;
  CUpti_CallbackFunc subscriber = nullptr;  // there is one at most
  void* subscriber_data = nullptr;
  std::set<std::pair<int, uint32_t>> callbacks;  // domain, callback id
};

State& state() {
  static auto* const the_state = new State;
  return *the_state;
}

int own_thread() { return static_cast<int>(::syscall(SYS_gettid)); }

// With the lock held; it is released for the callback.
void deliver(std::unique_lock<std::mutex>& lock, int thread) {
  const Buffer buffer = state().buffers[thread];
  state().buffers.erase(thread);
  const auto complete = state().complete;
  lock.unlock();
  complete(nullptr, 0, buffer.memory, buffer.size, buffer.used);
  lock.lock();
}

template <class Record>
void store(const Record& record, bool running) {
  State& own = state();
  std::unique_lock lock(own.mutex);
  const int thread = own_thread();
  if (own.buffers[thread].memory != nullptr && own.buffers[thread].used + sizeof record > own.buffers[thread].size) {
    deliver(lock, thread);
  }
  Buffer& buffer = own.buffers[thread];
  if (buffer.memory == nullptr) {
    size_t most = 0;
    own.request(&buffer.memory, &buffer.size, &most);
  }
  if (buffer.memory == nullptr || buffer.size < sizeof record) {
    ++own.dropped;
    return;
  }
  std::memcpy(buffer.memory + buffer.used, &record, sizeof record);
  buffer.used += sizeof record;
  buffer.running = buffer.running || running;
}

bool records(CUpti_ActivityKind kind) { return state().kinds.contains(kind); }
bool records(CUpti_ActivityKind kind, uint32_t call) { return state().calls.contains({kind, call}); }
uint64_t now() { return state().now(); }

void store_call(CUpti_ActivityKind kind, uint32_t call, uint32_t correlation, uint64_t start, uint64_t end) {
  if (!records(kind, call)) {
    return;
  }
  CUpti_ActivityAPI record{};
  record.kind = kind;
  record.cbid = call;
  record.start = start;
  record.end = end;
  record.processId = static_cast<uint32_t>(::getpid());
  record.threadId = static_cast<uint32_t>(own_thread());
  record.correlationId = correlation;
  store(record, false);
}

size_t size_of(CUpti_Activity* record) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return sizeof(CUpti_ActivityGraphTrace2);
    default:
      return sizeof(CUpti_ActivityAPI);
  }
}

}  // namespace

DOUBLE_EXPORT void cupti_double_kernel(const char* name, uint32_t stream, uint64_t duration_ns, uint64_t graph_node) {
  State& own = state();
  if (own.request == nullptr) {
    return;
  }
  const uint32_t correlation = ++own.correlation;
  const uint64_t start = now();
  if (graph_node == 0) {
    store_call(CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, correlation, start + 10, start + 90);
    store_call(CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, correlation, start,
               start + 100);
  }
  if (graph_node != 0 && records(CUPTI_ACTIVITY_KIND_GRAPH_TRACE)) {
    CUpti_ActivityGraphTrace2 graph{};
    graph.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
    graph.correlationId = correlation;
    graph.start = start + 200;
    graph.end = graph.start + duration_ns;
    graph.graphId = static_cast<uint32_t>(graph_node >> 32);
    graph.streamId = stream;
    store(graph, false);
    return;
  }
  if (!records(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)) {
    return;
  }
  CUpti_ActivityKernel10 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.name = name;
  kernel.start = start + 200;
  kernel.end = duration_ns > 0 ? kernel.start + duration_ns : 0;
  kernel.correlationId = correlation;
  kernel.streamId = stream;
  kernel.graphNodeId = graph_node;
  kernel.gridX = 3;
  kernel.gridY = 2;
  kernel.gridZ = 1;
  kernel.blockX = 128;
  kernel.blockY = 1;
  kernel.blockZ = 1;
  kernel.registersPerThread = 32;
  store(kernel, duration_ns == 0);
}

DOUBLE_EXPORT void cupti_double_finish() {
  const std::lock_guard lock(state().mutex);
  Buffer& buffer = state().buffers[own_thread()];
  size_t length = 0;
  for (uint8_t* at = buffer.memory; at != nullptr && at < buffer.memory + buffer.used; at += length) {
    auto* record = reinterpret_cast<CUpti_Activity*>(at);
    length = size_of(record);
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      auto* kernel = reinterpret_cast<CUpti_ActivityKernel10*>(record);
      kernel->end = kernel->end != 0 ? kernel->end : now();
    }
  }
  buffer.running = false;
}

DOUBLE_EXPORT void cupti_double_copy(uint64_t bytes) {
  State& own = state();
  if (own.request == nullptr) {
    return;
  }
  const uint32_t correlation = ++own.correlation;
  const uint64_t start = now();
  store_call(CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, correlation, start + 10,
             start + 90);
  store_call(CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020, correlation, start,
             start + 100);
  if (!records(CUPTI_ACTIVITY_KIND_MEMCPY)) {
    return;
  }
  CUpti_ActivityMemcpy6 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  copy.bytes = bytes;
  copy.start = start + 200;
  copy.end = start + 1200;
  copy.correlationId = correlation;
  copy.streamId = 7;
  store(copy, false);
}

DOUBLE_EXPORT void cupti_double_drop(uint64_t count) {
  const std::lock_guard lock(state().mutex);
  state().dropped += count;
}

namespace {

void others_see(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

void call_back(CUpti_CallbackId id, const CUpti_GraphData& graph) {
  CUpti_CallbackFunc function = nullptr;
  void* data = nullptr;
  {
    const std::lock_guard lock(state().mutex);
    if (state().callbacks.contains({CUPTI_CB_DOMAIN_RESOURCE, id})) {
      function = state().subscriber;
      data = state().subscriber_data;
    }
  }
  if (function != nullptr) {
    CUpti_ResourceData resource{};
    resource.resourceDescriptor = const_cast<CUpti_GraphData*>(&graph);
    function(data, CUPTI_CB_DOMAIN_RESOURCE, id, &resource);
  }
}

CUpti_GraphData graph_data(uint64_t node, uint64_t original) {
  CUpti_GraphData graph{};
  graph.node = reinterpret_cast<CUgraphNode>(node);  // as in the driver: a handle, of which CUPTI tells the number
  graph.originalNode = reinterpret_cast<CUgraphNode>(original);
  graph.nodeType = CU_GRAPH_NODE_TYPE_KERNEL;
  return graph;
}

}  // namespace

DOUBLE_EXPORT void cupti_double_take_over() {
  const std::lock_guard lock(state().mutex);
  state().request = [](uint8_t** buffer, size_t* size, size_t* most) {
    *size = size_t{1} << 16;
    *buffer = static_cast<uint8_t*>(std::calloc(*size, 1));
    *most = 0;
  };
  state().complete = [](CUcontext, uint32_t, uint8_t*, size_t, size_t) {};  // theirs and ours: Kineto keeps both
  if (state().subscriber == nullptr && std::getenv("CUPTI_DOUBLE_NOT_SUBSCRIBED") == nullptr) {
    state().subscriber = others_see;
  }
}

DOUBLE_EXPORT void cupti_double_give_back() {
  const std::lock_guard lock(state().mutex);
  if (state().subscriber == others_see) {
    state().subscriber = nullptr;
  }
  state().kinds.clear();  // theirs were the same
  state().calls.clear();
  state().buffers.clear();
}

DOUBLE_EXPORT void cupti_double_node(uint64_t node) {
  call_back(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, graph_data(node, 0));
}

DOUBLE_EXPORT void cupti_double_clone(uint64_t node, uint64_t original) {
  const bool is_created_first = (original >> 32) % 2 == 1;  // no order is promised
  if (is_created_first) {
    call_back(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, graph_data(node, 0));
  }
  call_back(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, graph_data(node, original));
  if (!is_created_first) {
    call_back(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, graph_data(node, 0));
  }
}

DOUBLE_EXPORT void cupti_double_instantiate(bool begins) {
  call_back(begins ? CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING : CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, {});
}

DOUBLE_EXPORT void cupti_double_driver_call(uint32_t callback_id) {
  if (state().request != nullptr) {
    const uint64_t start = now();
    store_call(CUPTI_ACTIVITY_KIND_DRIVER, callback_id, ++state().correlation, start, start + 1);
  }
}

DOUBLE_EXPORT CUptiResult CUPTIAPI cuptiGetVersion(uint32_t* version) {
  *version = CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}

DOUBLE_EXPORT CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc function,
                                                  void* data) {
  const std::lock_guard lock(state().mutex);
  if (std::getenv("CUPTI_DOUBLE_SUBSCRIBED") != nullptr || state().subscriber != nullptr) {
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  }
  state().subscriber = function;
  state().subscriber_data = data;
  *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(&state());
  return CUPTI_SUCCESS;
}
DOUBLE_EXPORT CUptiResult CUPTIAPI cuptiUnsubscribe(CUpti_SubscriberHandle) {
  const std::lock_guard lock(state().mutex);
  state().subscriber = nullptr;
  state().callbacks.clear();
  return CUPTI_SUCCESS;
}
DOUBLE_EXPORT CUptiResult CUPTIAPI cuptiEnableCallback(uint32_t on, CUpti_SubscriberHandle, CUpti_CallbackDomain domain,
                                                       CUpti_CallbackId id) {
  const std::lock_guard lock(state().mutex);
  if (on != 0) {
    state().callbacks.insert({domain, id});
  } else {
    state().callbacks.erase({domain, id});
  }
  return CUPTI_SUCCESS;
}
DOUBLE_EXPORT CUptiResult CUPTIAPI cuptiGetGraphNodeId(CUgraphNode node, uint64_t* number) {
  *number = reinterpret_cast<uint64_t>(node);
  return CUPTI_SUCCESS;
}

DOUBLE_EXPORT CUptiResult CUPTIAPI cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                                                  CUpti_BuffersCallbackCompleteFunc complete) {
  state().request = request;
  state().complete = complete;
  return CUPTI_SUCCESS;
}
DOUBLE_EXPORT CUptiResult CUPTIAPI cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc now_function) {
  state().now = now_function;
  return CUPTI_SUCCESS;
}
DOUBLE_EXPORT CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind) {
  state().kinds.insert(kind);
  return CUPTI_SUCCESS;
}
DOUBLE_EXPORT CUptiResult CUPTIAPI cuptiActivityDisable(CUpti_ActivityKind kind) {
  state().kinds.erase(kind);
  return CUPTI_SUCCESS;
}

namespace {

CUptiResult switch_call(int kind, uint32_t call, uint8_t on) {
  if (on != 0) {
    state().calls.insert({kind, call});
  } else {
    state().calls.erase({kind, call});
  }
  return CUPTI_SUCCESS;
}

}  // namespace

DOUBLE_EXPORT CUptiResult CUPTIAPI cuptiActivityEnableRuntimeApi(CUpti_CallbackId call, uint8_t on) {
  return switch_call(CUPTI_ACTIVITY_KIND_RUNTIME, call, on);
}
DOUBLE_EXPORT CUptiResult CUPTIAPI cuptiActivityEnableDriverApi(CUpti_CallbackId call, uint8_t on) {
  return switch_call(CUPTI_ACTIVITY_KIND_DRIVER, call, on);
}
DOUBLE_EXPORT CUptiResult CUPTIAPI cuptiActivitySetAttribute(CUpti_ActivityAttribute, size_t*, void*) {
  return CUPTI_SUCCESS;
}
DOUBLE_EXPORT CUptiResult CUPTIAPI cuptiSetThreadIdType(CUpti_ActivityThreadIdType) { return CUPTI_SUCCESS; }

DOUBLE_EXPORT CUptiResult CUPTIAPI cuptiActivityFlushAll(uint32_t flag) {
  State& own = state();
  std::unique_lock lock(own.mutex);
  for (bool again = true; again;) {
    again = false;
    for (const auto& [thread, buffer] : own.buffers) {
      if (buffer.memory != nullptr && (!buffer.running || (flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) != 0)) {
        deliver(lock, thread);
        again = true;
        break;
      }
    }
  }
  return CUPTI_SUCCESS;
}

DOUBLE_EXPORT CUptiResult CUPTIAPI cuptiActivityGetNextRecord(uint8_t* buffer, size_t used, CUpti_Activity** record) {
  uint8_t* next = *record == nullptr ? buffer : reinterpret_cast<uint8_t*>(*record) + size_of(*record);
  if (next >= buffer + used) {
    return CUPTI_ERROR_MAX_LIMIT_REACHED;
  }
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

DOUBLE_EXPORT CUptiResult CUPTIAPI cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  const std::lock_guard lock(state().mutex);
  *dropped = std::exchange(state().dropped, 0);
  return CUPTI_SUCCESS;
}
DOUBLE_EXPORT CUptiResult CUPTIAPI cuptiGetStreamIdEx(CUcontext, CUstream, uint8_t, uint32_t* number) {
  *number = 0;
  return CUPTI_SUCCESS;
}
DOUBLE_EXPORT CUptiResult CUPTIAPI cuptiGetResultString(CUptiResult, const char** text) {
  *text = "a failure of the double";
  return CUPTI_SUCCESS;
}
