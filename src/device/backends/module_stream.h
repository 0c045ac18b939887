// SPDX-License-Identifier: MIT
// Streams, events and graphs of a vendor's module.
#pragma once

#include "device/device.h"
#include "device/module_api.h"

namespace aaco {

class ModuleEvent : public Event {
 public:
  ModuleEvent(const AacoModule& module, void* handle) : module_(module), handle_(handle) {}
  ~ModuleEvent() override { module_.event_free(handle_); }
  ModuleEvent(const ModuleEvent&) = delete;
  ModuleEvent& operator=(const ModuleEvent&) = delete;

  Result<void> synchronize() override;
  void* handle() const { return handle_; }

 private:
  const AacoModule& module_;
  void* handle_;
};

class ModuleGraph : public Graph {
 public:
  ModuleGraph(const AacoModule& module, void* handle, int64_t kernels)
      : module_(module), handle_(handle), kernels_(kernels) {}
  ~ModuleGraph() override { module_.graph_free(handle_); }
  ModuleGraph(const ModuleGraph&) = delete;
  ModuleGraph& operator=(const ModuleGraph&) = delete;

  int64_t kernels() const override { return kernels_; }
  void* handle() const { return handle_; }

 private:
  const AacoModule& module_;
  void* handle_;
  int64_t kernels_;
};

// The module keeps a stream's first failure, and enqueues nothing after it.
class ModuleStream : public Stream {
 public:
  ModuleStream(const AacoModule& module, void* handle, int priority, uint64_t native_id)
      : module_(module), handle_(handle), priority_(priority), native_id_(native_id) {}
  ~ModuleStream() override { module_.stream_free(handle_); }
  ModuleStream(const ModuleStream&) = delete;
  ModuleStream& operator=(const ModuleStream&) = delete;

  using Stream::launch;
  void launch(OpId op, const void* args) override { module_.launch(handle_, static_cast<uint32_t>(op), args); }
  void copy(void* to, const void* from, size_t bytes) override { module_.copy(handle_, to, from, bytes); }
  void set(void* to, int value, size_t bytes) override { module_.set(handle_, to, value, bytes); }
  void record(Event& event) override { module_.event_record(static_cast<ModuleEvent&>(event).handle(), handle_); }
  void wait(Event& event) override { module_.event_wait(static_cast<ModuleEvent&>(event).handle(), handle_); }
  void launch(Graph& graph) override { module_.graph_launch(static_cast<ModuleGraph&>(graph).handle(), handle_); }
  void begin_capture() override { module_.capture_begin(handle_); }
  Result<std::unique_ptr<Graph>> end_capture() override;
  Result<void> synchronize() override;
  int priority() const override { return priority_; }
  uint64_t native_id() const override { return native_id_; }

  void* handle() const { return handle_; }

 private:
  const AacoModule& module_;
  void* handle_;
  int priority_;
  uint64_t native_id_;
};

}  // namespace aaco
