// SPDX-License-Identifier: MIT
// A device of a vendor's module, and what belongs to it: aaco's side of the module's table (module_api.h).
#pragma once

#include <memory>
#include <mutex>

#include "device/device.h"
#include "device/module_api.h"

namespace aaco {

// What a function of the table left on this thread as an error. `what_to_do` unless the module says it itself, in the
// second line of its text.
Error module_error(const AacoModule& module, int32_t status, std::string what_to_do = "");
Result<void> module_result(const AacoModule& module, int32_t status);

// What was allocated, by kind; shared by the buffers, which may be freed by other threads.
class MemoryCount {
 public:
  void add(MemoryKind kind, int64_t bytes);  // fewer where negative
  void reset_peak();
  MemoryUse use() const;

 private:
  mutable std::mutex mutex_;
  MemoryUse use_;
};

class ModuleDevice : public Device {
 public:
  // Errors: the module's.
  static Result<std::unique_ptr<ModuleDevice>> open(const AacoModule& module, int index);

  const DeviceProperties& properties() const override { return properties_; }
  Result<std::unique_ptr<Buffer>> allocate(size_t bytes, MemoryKind kind) override;
  Result<std::unique_ptr<Stream>> make_stream(int priority) override;
  Result<std::unique_ptr<Event>> make_event(bool timing) override;
  Result<double> elapsed_ns(Event& from, Event& to) override;
  Result<void> synchronize() override;
  MemoryUse memory_use() const override;
  void reset_peak() override { memory_.reset_peak(); }
  Result<void> enable_peer(Device& peer) override;

  const AacoModule& module() const { return module_; }
  void* handle() const { return handle_; }

 private:
  explicit ModuleDevice(const AacoModule& module) : module_(module) {}

  const AacoModule& module_;
  void* handle_ = nullptr;
  DeviceProperties properties_;
  MemoryCount memory_;
};

}  // namespace aaco
