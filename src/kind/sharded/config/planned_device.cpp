// SPDX-License-Identifier: MIT
#include "kind/sharded/config/planned_device.h"

#include <algorithm>

namespace aaco::sharded {

namespace {

constexpr size_t kAlignment = 512;

Error nothing_to_run_on() { return {ErrorKind::kUnavailable, "a planned device runs nothing", "name a device"}; }

class PlannedBuffer : public Buffer {
 public:
  PlannedBuffer(uintptr_t address, size_t bytes) : address_(address), bytes_(bytes) {}
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address that stands for memory
  void* data() const override { return reinterpret_cast<void*>(address_); }
  size_t bytes() const override { return bytes_; }

 private:
  uintptr_t address_;
  size_t bytes_;
};

}  // namespace

Result<std::unique_ptr<Buffer>> PlannedDevice::allocate(size_t bytes, MemoryKind kind) {
  const bool pinned = kind == MemoryKind::kPinnedHost;
  int64_t& used = pinned ? use_.pinned_bytes : use_.allocated_bytes;
  int64_t& peak = pinned ? use_.pinned_peak_bytes : use_.peak_bytes;
  used += static_cast<int64_t>(bytes);
  peak = std::max(peak, used);
  auto buffer = std::make_unique<PlannedBuffer>(next_, bytes);
  next_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  return std::unique_ptr<Buffer>(std::move(buffer));
}

Result<std::unique_ptr<Stream>> PlannedDevice::make_stream(int /*priority*/) { return nothing_to_run_on(); }
Result<std::unique_ptr<Event>> PlannedDevice::make_event(bool /*timing*/) { return nothing_to_run_on(); }
Result<double> PlannedDevice::elapsed_ns(Event& /*from*/, Event& /*to*/) { return nothing_to_run_on(); }
Result<void> PlannedDevice::synchronize() { return nothing_to_run_on(); }
Result<void> PlannedDevice::enable_peer(Device& /*peer*/) { return nothing_to_run_on(); }

}  // namespace aaco::sharded
