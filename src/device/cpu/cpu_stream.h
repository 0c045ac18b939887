// SPDX-License-Identifier: MIT
// A stream of the CPU backend: an in-order queue with a thread of its own. A stream that failed stays failed.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "device/cpu/commands/capture.h"
#include "device/cpu/commands/cpu_event.h"
#include "device/cpu/commands/worker.h"
#include "device/device.h"

namespace aaco {

class CpuStream : public Stream {
 public:
  // Throws std::system_error where no thread is to be had.
  CpuStream(CpuShared& shared, uint32_t device);
  // What is enqueued is still done; a capture that began here ends.
  ~CpuStream() override;
  CpuStream(const CpuStream&) = delete;
  CpuStream& operator=(const CpuStream&) = delete;

  using Stream::launch;
  void launch(OpId op, const void* args) override;
  void copy(void* to, const void* from, size_t bytes) override;
  void set(void* to, int value, size_t bytes) override;
  void record(Event& event) override;
  void wait(Event& event) override;
  void launch(Graph& graph) override;
  void begin_capture() override;
  Result<std::unique_ptr<Graph>> end_capture() override;
  Result<void> synchronize() override;
  int priority() const override { return 0; }
  uint64_t native_id() const override { return worker_.context().stream; }

  // Work that is no operation of the list.
  void call(std::shared_ptr<StreamCall> call);
  // The stream fails when it comes here; a capture, at its end.
  void fail(Error error);

 private:
  template <class Kind, class... Values>
  void task(const char* called, Values&&... values);
  template <class Work, class... Values>
  void enqueue(const char* called, Values&&... values);
  CapturePosition* capturing();
  void wait_for_captured(const std::shared_ptr<Capture>& capture, const std::vector<uint32_t>& nodes);
  Result<std::unique_ptr<Graph>> make_graph(std::vector<LaneNodes> lanes);

  CpuShared& shared_;
  Worker worker_;
  std::optional<CapturePosition> position_;
  std::optional<Error> no_capture_;  // why begin_capture() began none
};

}  // namespace aaco
