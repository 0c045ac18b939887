// SPDX-License-Identifier: MIT
#include "experiment/queue/probes/spin_stamps.h"

#include <algorithm>

namespace aaco {

Result<SpinStamps> SpinStamps::make(Device& device, size_t count) {
  SpinStamps stamps;
  stamps.count_ = count;
  AACO_ASSIGN(stamps.memory_, device.allocate(count * sizeof(SpinStamp), MemoryKind::kDevice));
  AACO_ASSIGN(stamps.host_, device.allocate(count * sizeof(SpinStamp), MemoryKind::kPinnedHost));
  return stamps;
}

Result<void> SpinStamps::clear(Stream& stream) {
  std::fill_n(static_cast<SpinStamp*>(host_->data()), count_, SpinStamp{~uint64_t{0}, 0});
  stream.copy(memory_->data(), host_->data(), count_ * sizeof(SpinStamp));
  return stream.synchronize();
}

Result<std::vector<KernelStamp>> SpinStamps::read(Stream& stream, const std::vector<int32_t>& streams) {
  stream.copy(host_->data(), memory_->data(), count_ * sizeof(SpinStamp));
  AACO_TRY(stream.synchronize());
  std::vector<KernelStamp> kernels;
  for (size_t i = 0; i < streams.size(); ++i) {
    const SpinStamp& stamp = static_cast<const SpinStamp*>(host_->data())[i];
    // A start that nobody wrote becomes -1.
    kernels.push_back({static_cast<int64_t>(stamp.start_ns), static_cast<int64_t>(stamp.end_ns), streams[i]});
  }
  return kernels;
}

}  // namespace aaco
