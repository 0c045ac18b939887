// SPDX-License-Identifier: MIT
// The thread of a CPU stream: takes commands from its queue, one after the other, and says how far it has come.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "device/cpu/commands/command_queue.h"

namespace aaco {

class Worker {
 public:
  // Throws std::system_error where no thread is to be had.
  Worker(const OpFunctions& ops, ActivityHub& hub, uint32_t device, uint64_t stream);
  // What is enqueued is still done.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // By one thread at a time.
  template <class Work, class... Values>
  void push(uint64_t correlation, Values&&... values) {
    queue_.push<Work>(correlation, std::forward<Values>(values)...);
  }
  // The place behind all that is pushed.
  Mark mark() const { return {progress_, queue_.pushed()}; }
  // The place of the next push.
  Mark next_mark() const { return {progress_, queue_.pushed() + 1}; }
  const TaskContext& context() const { return context_; }
  ActivityLog& log() { return log_; }

 private:
  void serve();
  Result<void> execute(QueuedCommand& command);
  void leave_out(QueuedCommand& command, const Error& failure);

  ActivityLog log_;
  const TaskContext context_;
  const std::shared_ptr<Progress> progress_ = std::make_shared<Progress>();
  CommandQueue queue_;
  std::thread thread_;  // last: it uses all of the above
};

// The workers that there are, so that a device or a collector can wait for all of them.
class WorkerList {
 public:
  void add(const Worker& worker);
  void remove(const Worker& worker);
  // The places behind all that is enqueued; of one device or of all.
  std::vector<Mark> marks(std::optional<uint32_t> device) const;

 private:
  mutable std::mutex mutex_;
  std::set<const Worker*> workers_;
};

// What all devices of the CPU backend share.
struct CpuShared {
  OpFunctions ops;
  ActivityHub activity;
  WorkerList workers;
  std::atomic<uint64_t> next_stream = 1;
  std::atomic<bool> capturing = false;  // one capture at a time

  explicit CpuShared(const OpFunctions& functions) : ops(functions) {}
};

}  // namespace aaco
