// SPDX-License-Identifier: MIT
#include "kind/queue_probe/probes/spin_stamps.h"

#include <algorithm>

namespace aaco {

namespace {

// A start that nobody wrote becomes -1. Sums are modulo 2^64, and so are their differences, which are small.
KernelStamp kernel_of(const SpinStamp& stamp, int32_t stream) {
  KernelStamp kernel{static_cast<int64_t>(stamp.start_ns), static_cast<int64_t>(stamp.end_ns), stream};
  if (stamp.blocks > 0) {
    const auto blocks = static_cast<double>(stamp.blocks);
    kernel.start_lag_ns = static_cast<double>(stamp.start_sum_ns - stamp.blocks * stamp.start_ns) / blocks;
    kernel.end_lead_ns = static_cast<double>(stamp.blocks * stamp.end_ns - stamp.end_sum_ns) / blocks;
  }
  return kernel;
}

}  // namespace

Result<SpinStamps> SpinStamps::make(Device& device, size_t count) {
  SpinStamps stamps;
  stamps.count_ = count;
  AACO_ASSIGN(stamps.memory_, device.allocate(count * sizeof(SpinStamp), MemoryKind::kDevice));
  AACO_ASSIGN(stamps.host_, device.allocate(count * sizeof(SpinStamp), MemoryKind::kPinnedHost));
  return stamps;
}

Result<void> SpinStamps::clear(Stream& stream) {
  std::fill_n(static_cast<SpinStamp*>(host_->data()), count_, kUnwrittenStamp);
  stream.copy(memory_->data(), host_->data(), count_ * sizeof(SpinStamp));
  return stream.synchronize();
}

Result<std::vector<KernelStamp>> SpinStamps::read(Stream& stream, const std::vector<int32_t>& streams) {
  stream.copy(host_->data(), memory_->data(), count_ * sizeof(SpinStamp));
  AACO_TRY(stream.synchronize());
  std::vector<KernelStamp> kernels;
  for (size_t i = 0; i < streams.size(); ++i) {
    kernels.push_back(kernel_of(static_cast<const SpinStamp*>(host_->data())[i], streams[i]));
  }
  return kernels;
}

}  // namespace aaco
