// SPDX-License-Identifier: MIT
// A device whose operations are the GPU kernels of a lockstep library. Its streams do at once what they are given; it
// has no graphs.
#pragma once

#include <string>

#include "device/device.h"
#include "device/gpu/lockstep/library.h"
#include "run_op.h"

namespace aaco {

class LockstepDevice : public Device {
 public:
  explicit LockstepDevice(const std::string& library_path);  // must open

  void set_order(gpu::lockstep::Order order) { library_->set_order(order); }

  const DeviceProperties& properties() const override { return properties_; }
  Result<std::unique_ptr<Buffer>> allocate(size_t bytes, MemoryKind kind) override;
  Result<std::unique_ptr<Stream>> make_stream(int priority) override;
  Result<std::unique_ptr<Event>> make_event(bool timing) override;
  Result<double> elapsed_ns(Event& from, Event& to) override;
  Result<void> synchronize() override { return {}; }
  MemoryUse memory_use() const override { return {}; }
  void reset_peak() override {}
  Result<void> enable_peer(Device& peer) override;

 private:
  const gpu::lockstep::Library* library_ = nullptr;
  RunOp run_op_ = nullptr;
  gpu::DeviceLimits limits_;
  DeviceProperties properties_;
};

}  // namespace aaco
