// SPDX-License-Identifier: MIT
// A device that has addresses and no memory: what is built for it can be counted, and not run.
#pragma once

#include <string>

#include "device/device.h"

namespace aaco::sharded {

class PlannedDevice : public Device {
 public:
  explicit PlannedDevice(std::string id) { properties_.id = std::move(id); }

  const DeviceProperties& properties() const override { return properties_; }
  Result<std::unique_ptr<Buffer>> allocate(size_t bytes, MemoryKind kind) override;
  MemoryUse memory_use() const override { return use_; }
  void reset_peak() override {}
  // There is nothing to run on: kUnavailable.
  Result<std::unique_ptr<Stream>> make_stream(int priority) override;
  Result<std::unique_ptr<Event>> make_event(bool timing) override;
  Result<double> elapsed_ns(Event& from, Event& to) override;
  Result<void> synchronize() override;
  Result<void> enable_peer(Device& peer) override;

 private:
  DeviceProperties properties_;
  MemoryUse use_;
  uintptr_t next_ = uintptr_t{1} << 40;  // of no mapping that is ever touched
};

}  // namespace aaco::sharded
