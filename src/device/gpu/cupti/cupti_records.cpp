// SPDX-License-Identifier: MIT
#include "device/gpu/cupti/cupti_records.h"

#include <cstdint>
#include <optional>
#include <string>

#include "device/gpu/cupti/graph_nodes.h"
#include "device/gpu/cupti/recorded_calls.h"
#include "device/gpu/cupti/thread_name.h"
#include "record/device/device_rows.h"

namespace aaco::gpu {

namespace {

const char* name_of_copy(uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
      return device_row::kCopyToDevice;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
      return device_row::kCopyFromDevice;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
      return "copy within the device";
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
      return "copy within the host";
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return "copy to another device";
    default:
      return "copy";
  }
}

// What every record of work on the device has.
template <class Record>
ActivityRecord work_of(const Record& record, ActivityKind kind) {
  ActivityRecord work;
  work.start_ns = static_cast<int64_t>(record.start);
  work.end_ns = static_cast<int64_t>(record.end);
  work.correlation = record.correlationId;
  work.stream = record.streamId;
  work.device = record.deviceId;
  work.kind = kind;
  work.graph_node = record.graphNodeId;  // its upper half is the graph
  return work;
}

template <class Record>
ActivityRecord moved_of(const Record& record, ActivityKind kind, uint32_t name) {
  ActivityRecord work = work_of(record, kind);
  work.bytes = record.bytes;
  work.name = name;
  return work;
}

}  // namespace

uint64_t start_of(const CUpti_Activity& record) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return reinterpret_cast<const CUpti_ActivityKernel10&>(record).start;
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return reinterpret_cast<const CUpti_ActivityMemcpy6&>(record).start;
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return reinterpret_cast<const CUpti_ActivityMemcpyPtoP4&>(record).start;
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return reinterpret_cast<const CUpti_ActivityMemset4&>(record).start;
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return reinterpret_cast<const CUpti_ActivityGraphTrace2&>(record).start;
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return reinterpret_cast<const CUpti_ActivityAPI&>(record).start;
    default:
      return 0;
  }
}

void CuptiRecords::add(const CUpti_Activity* record) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const auto& kernel = *reinterpret_cast<const CUpti_ActivityKernel10*>(record);
      ActivityRecord work = work_of(kernel, ActivityKind::kKernel);
      work.name = batch_.intern(kernel.name);
      work.kernel.registers = kernel.registersPerThread;
      work.kernel.block_threads = static_cast<uint32_t>(kernel.blockX * kernel.blockY * kernel.blockZ);
      work.kernel.shared_bytes = static_cast<uint32_t>(kernel.staticSharedMemory + kernel.dynamicSharedMemory);
      work.kernel.local_bytes = kernel.localMemoryPerThread;
      work.kernel.blocks = static_cast<uint64_t>(kernel.gridX) * static_cast<uint64_t>(kernel.gridY) *
                           static_cast<uint64_t>(kernel.gridZ);
      add_work(work);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& copy = *reinterpret_cast<const CUpti_ActivityMemcpy6*>(record);
      add_work(moved_of(copy, ActivityKind::kCopy, batch_.intern(name_of_copy(copy.copyKind))));
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2: {
      const auto& copy = *reinterpret_cast<const CUpti_ActivityMemcpyPtoP4*>(record);
      add_work(moved_of(copy, ActivityKind::kCopy, batch_.intern(name_of_copy(copy.copyKind))));
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& set = *reinterpret_cast<const CUpti_ActivityMemset4*>(record);
      add_work(moved_of(set, ActivityKind::kSet, batch_.intern(device_row::kSetName)));
      break;
    }
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      add_graph(*reinterpret_cast<const CUpti_ActivityGraphTrace2*>(record));
      break;
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      add_call(*reinterpret_cast<const CUpti_ActivityAPI*>(record));
      break;
    default:
      break;
  }
}

// Work of a graph is called by where it was captured, too.
void CuptiRecords::add_work(ActivityRecord work) {
  const uint32_t path = work.graph_node != 0 ? graph_nodes().count_kernel(work.graph_node) : GraphNodes::kNoPath;
  if (path != GraphNodes::kNoPath) {
    if (path_names_.size() <= path) {
      path_names_.resize(path + size_t{1}, kNoName);
    }
    if (path_names_[path] == kNoName) {
      path_names_[path] = batch_.intern_plain(graph_nodes().path(path));
    }
    work.label = path_names_[path];
  }
  batch_.add(work);
}

void CuptiRecords::add_graph(const CUpti_ActivityGraphTrace2& graph) {
  constexpr uint32_t kHost = INT32_MAX;  // the graph's first node is one of the host
  ActivityRecord work;
  work.start_ns = static_cast<int64_t>(graph.start);
  work.end_ns = static_cast<int64_t>(graph.end);
  work.correlation = graph.correlationId;
  work.stream = graph.streamId;
  work.device = graph.deviceId != kHost ? graph.deviceId : graph.endDeviceId;
  work.kind = ActivityKind::kGraph;
  const auto [name, is_new] = graph_names_.try_emplace(graph.graphId);
  if (is_new) {
    name->second = batch_.intern_plain("CUDA graph " + std::to_string(graph.graphId));
  }
  work.name = name->second;
  batch_.add(work);
}

void CuptiRecords::add_call(const CUpti_ActivityAPI& call) {
  const RecordedCall* known =
      find_call(call.kind == CUPTI_ACTIVITY_KIND_DRIVER ? driver_calls() : runtime_calls(), call.cbid);
  if (known == nullptr) {
    return;
  }
  tell_thread(call.threadId);
  ActivityRecord record;
  record.start_ns = static_cast<int64_t>(call.start);
  record.end_ns = static_cast<int64_t>(call.end);
  record.correlation = call.correlationId;
  record.stream = call.threadId;
  record.name = batch_.intern(known->name);
  record.kind = known->kind;
  const auto held = held_.find(call.threadId);
  if (held != held_.end()) {
    if (held->second.correlation != record.correlation) {
      batch_.add(held->second);
    }
    held_.erase(held);
  }
  if (call.kind == CUPTI_ACTIVITY_KIND_DRIVER) {
    held_.emplace(call.threadId, record);
  } else {
    batch_.add(record);
  }
}

void CuptiRecords::tell_thread(uint32_t thread) {
  if (!told_threads_.insert(thread).second) {
    return;
  }
  if (std::optional<ThreadName> name = name_of_thread(thread)) {
    name->record.name = batch_.intern_plain(name->text);
    batch_.add(name->record);
  }
}

void CuptiRecords::hand_over(bool all) {
  if (all) {
    for (const auto& [thread, record] : held_) {
      batch_.add(record);
    }
    held_.clear();
  }
  batch_.hand_over();
}

}  // namespace aaco::gpu
