// SPDX-License-Identifier: MIT
// A device of the CPU backend. Several of them are one machine: each has streams and memory accounts of its own, and
// all share the processors and the memory.
#pragma once

#include <memory>

#include "device/cpu/commands/worker.h"
#include "device/cpu/cpu_memory.h"
#include "device/device.h"

namespace aaco {

class CpuDevice : public Device {
 public:
  CpuDevice(CpuShared& shared, uint32_t index);

  const DeviceProperties& properties() const override { return properties_; }
  Result<std::unique_ptr<Buffer>> allocate(size_t bytes, MemoryKind kind) override;
  Result<std::unique_ptr<Stream>> make_stream(int priority) override;
  Result<std::unique_ptr<Event>> make_event(bool timing) override;
  Result<double> elapsed_ns(Event& from, Event& to) override;
  Result<void> synchronize() override;
  MemoryUse memory_use() const override { return memory_.use(); }
  void reset_peak() override { memory_.reset_peak(); }
  Result<void> enable_peer(Device& peer) override;

 private:
  CpuShared& shared_;
  const uint32_t index_;
  DeviceProperties properties_;
  CpuMemory memory_;
};

}  // namespace aaco
