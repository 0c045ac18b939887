// SPDX-License-Identifier: MIT
#include "device/gpu/cuda/cupti_records.h"

namespace aaco::gpu {

const std::vector<RecordedCall> kRuntimeCalls{
    {CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, ActivityKind::kLaunchCall, "cudaLaunchKernel"},
    {CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000, ActivityKind::kLaunchCall, "cudaLaunchKernel"},
    {CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060, ActivityKind::kLaunchCall, "cudaLaunchKernelExC"},
    {CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000, ActivityKind::kLaunchCall,
     "cudaLaunchCooperativeKernel"},
    {CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000, ActivityKind::kLaunchCall, "cudaGraphLaunch"},
    {CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020, ActivityKind::kLaunchCall, "cudaMemcpyAsync"},
    {CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020, ActivityKind::kLaunchCall, "cudaMemsetAsync"},
    {CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020, ActivityKind::kSync, "cudaStreamSynchronize"},
    {CUPTI_RUNTIME_TRACE_CBID_cudaEventSynchronize_v3020, ActivityKind::kSync, "cudaEventSynchronize"},
    {CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020, ActivityKind::kSync, "cudaDeviceSynchronize"},
};

// Libraries that call the driver without the runtime.
const std::vector<RecordedCall> kDriverCalls{
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, ActivityKind::kLaunchCall, "cuLaunchKernel"},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, ActivityKind::kLaunchCall, "cuLaunchKernelEx"},
};

namespace {

const RecordedCall* call_of(const CUpti_ActivityAPI& record) {
  for (const RecordedCall& call : record.kind == CUPTI_ACTIVITY_KIND_DRIVER ? kDriverCalls : kRuntimeCalls) {
    if (call.id == record.cbid) {
      return &call;
    }
  }
  return nullptr;
}

const char* name_of_copy(uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
      return "copy host to device";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
      return "copy device to host";
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
  if (record.graphNodeId != 0) {  // its upper half is the graph; 0 is kept for "not from a graph"
    const auto node = static_cast<uint32_t>(record.graphNodeId);
    work.graph_node = node != 0 ? node : ~uint32_t{0};
  }
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
      batch_.add(work);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& copy = *reinterpret_cast<const CUpti_ActivityMemcpy6*>(record);
      batch_.add(moved_of(copy, ActivityKind::kCopy, batch_.intern(name_of_copy(copy.copyKind))));
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2: {
      const auto& copy = *reinterpret_cast<const CUpti_ActivityMemcpyPtoP4*>(record);
      batch_.add(moved_of(copy, ActivityKind::kCopy, batch_.intern(name_of_copy(copy.copyKind))));
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& set = *reinterpret_cast<const CUpti_ActivityMemset4*>(record);
      batch_.add(moved_of(set, ActivityKind::kSet, batch_.intern("set")));
      break;
    }
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      add_call(*reinterpret_cast<const CUpti_ActivityAPI*>(record));
      break;
    default:
      break;
  }
}

void CuptiRecords::add_call(const CUpti_ActivityAPI& call) {
  const RecordedCall* known = call_of(call);
  if (known == nullptr) {
    return;
  }
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
