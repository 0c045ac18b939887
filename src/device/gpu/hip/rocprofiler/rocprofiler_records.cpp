// SPDX-License-Identifier: MIT
#include "device/gpu/hip/rocprofiler/rocprofiler_records.h"

#include <algorithm>

#include "record/device/device_rows.h"

namespace aaco::gpu {

namespace {

// rocprofiler does not tell which node.
constexpr uint32_t kSomeNode = ~uint32_t{0};
constexpr uint64_t kUnknownStream = ~uint64_t{0};

const char* name_of_copy(const RocprofilerCopy& copy) {
  switch (copy.operation) {
    case ROCPROFILER_MEMORY_COPY_HOST_TO_DEVICE:
      return device_row::kCopyToDevice;
    case ROCPROFILER_MEMORY_COPY_DEVICE_TO_HOST:
      return device_row::kCopyFromDevice;
    case ROCPROFILER_MEMORY_COPY_DEVICE_TO_DEVICE:
      return copy.to_agent.handle == copy.from_agent.handle ? "copy within the device" : "copy to another device";
    case ROCPROFILER_MEMORY_COPY_HOST_TO_HOST:
      return "copy within the host";
    default:
      return "copy";
  }
}

}  // namespace

void RocprofilerRecords::begin_call(const HipCall& call, uint64_t correlation, const rocprofiler_hip_api_args_t& args) {
  const hipStream_t stream = call.stream != nullptr ? call.stream(args) : nullptr;
  open_[correlation] = {reinterpret_cast<uint64_t>(stream), call.graph};
}

void RocprofilerRecords::end_call(const HipCall& call, uint64_t correlation, uint64_t thread, int64_t start_ns,
                                  int64_t end_ns) {
  ActivityRecord record;
  record.start_ns = start_ns;
  record.end_ns = end_ns;
  record.correlation = correlation;
  record.stream = thread;
  record.name = batch_.intern(call.name);
  record.kind = call.kind;
  batch_.add(record);
}

void RocprofilerRecords::add(const rocprofiler_record_header_t& record) {
  if (record.category != ROCPROFILER_BUFFER_CATEGORY_TRACING) {
    return;
  }
  switch (record.kind) {
    case ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH:
      add_kernel(*static_cast<const rocprofiler_buffer_tracing_kernel_dispatch_record_t*>(record.payload));
      break;
    case ROCPROFILER_BUFFER_TRACING_MEMORY_COPY:
      add_copy(*static_cast<const RocprofilerCopy*>(record.payload));
      break;
    case ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT:
      open_.erase(static_cast<const RocprofilerRetirement*>(record.payload)->correlation);
      break;
    default:
      break;
  }
}

void RocprofilerRecords::add_kernel(const rocprofiler_buffer_tracing_kernel_dispatch_record_t& kernel) {
  ActivityRecord record;
  record.start_ns = session_ns(kernel.start_timestamp);
  record.end_ns = session_ns(kernel.end_timestamp);
  record.correlation = kernel.correlation_id.internal;
  record.stream = kernel.dispatch_info.queue_id.handle;
  record.device = devices_.number(kernel.dispatch_info.agent_id);
  record.name = name_of_kernel(kernel.dispatch_info.kernel_id);
  record.kind = ActivityKind::kKernel;
  const auto& launch = kernel.dispatch_info;
  record.kernel.block_threads = launch.workgroup_size.x * launch.workgroup_size.y * launch.workgroup_size.z;
  record.kernel.shared_bytes = launch.group_segment_size;
  record.kernel.local_bytes = launch.private_segment_size;
  add_work(record);
}

void RocprofilerRecords::add_copy(const RocprofilerCopy& copy) {
  ActivityRecord record;
  record.start_ns = session_ns(copy.start_timestamp);
  record.end_ns = session_ns(copy.end_timestamp);
  record.correlation = copy.correlation_id.internal;
  record.stream = kUnknownStream;
  record.bytes = copy.bytes;
  record.device = devices_.number(copy.to_agent);
  if (record.device == kUnknownDevice) {  // to the host
    record.device = devices_.number(copy.from_agent);
  }
  record.name = batch_.intern(name_of_copy(copy));
  record.kind = ActivityKind::kCopy;
  add_work(record);
}

// Work of before, which nobody collected, may arrive late.
void RocprofilerRecords::add_work(ActivityRecord record) {
  if (record.start_ns != 0 && record.start_ns < begun_ns_) {
    return;
  }
  if (const auto call = open_.find(record.correlation); call != open_.end()) {
    if (call->second.graph) {
      record.graph_node = kSomeNode;
    } else {
      record.stream = call->second.stream;
    }
  }
  batch_.add(record);
}

std::vector<uint64_t> RocprofilerRecords::open_calls() const {
  std::vector<uint64_t> calls;
  calls.reserve(open_.size());
  for (const auto& [correlation, call] : open_) {
    calls.push_back(correlation);
  }
  return calls;
}

bool RocprofilerRecords::any_open(const std::vector<uint64_t>& calls) const {
  return std::any_of(calls.begin(), calls.end(), [this](uint64_t call) { return open_.contains(call); });
}

void RocprofilerRecords::give_up(const std::vector<uint64_t>& calls) {
  for (const uint64_t call : calls) {
    batch_.drop(open_.erase(call));
  }
}

// 0 stays: it is no time.
int64_t RocprofilerRecords::session_ns(rocprofiler_timestamp_t time) const {
  return time != 0 ? static_cast<int64_t>(time) - clock_ahead_ns_ : 0;
}

uint32_t RocprofilerRecords::name_of_kernel(uint64_t kernel) {
  const auto name = names_.find(kernel);
  if (name == names_.end()) {
    return batch_.intern(("kernel " + std::to_string(kernel) + ", name not told").c_str());
  }
  return batch_.intern(name->second.c_str());
}

}  // namespace aaco::gpu
