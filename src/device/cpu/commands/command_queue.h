// SPDX-License-Identifier: MIT
// The commands of one stream, in order: one thread pushes, one takes. Without limit, in blocks that are used again, so
// that a running queue allocates nothing.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <variant>

#include "device/cpu/commands/progress.h"
#include "device/cpu/commands/task.h"

namespace aaco {

struct EventState;
class GraphProgram;

// Of an event: its time is taken, if no later record has replaced this one.
struct RecordCommand {
  std::shared_ptr<EventState> event;
  uint64_t generation = 0;
};
struct WaitCommand {
  Mark mark;
};
struct GraphCommand {
  std::shared_ptr<GraphProgram> graph;
  Mark after;  // its launch before this one
};
// A call that could not be made sense of: the stream fails here.
struct FailCommand {
  Error error;
};

struct QueuedCommand {
  uint64_t correlation = 0;
  std::variant<std::monostate, Task, RecordCommand, WaitCommand, GraphCommand, FailCommand> work;
};

class CommandQueue {
 public:
  CommandQueue();
  ~CommandQueue();
  CommandQueue(const CommandQueue&) = delete;
  CommandQueue& operator=(const CommandQueue&) = delete;

  template <class Work, class... Values>
  void push(uint64_t correlation, Values&&... values) {
    QueuedCommand& slot = next_slot();
    slot.correlation = correlation;
    slot.work.emplace<Work>(std::forward<Values>(values)...);
    publish();
  }
  uint64_t pushed() const { return pushed_.load(std::memory_order_acquire); }

  // Waits for one. Null: closed, and nothing is left.
  QueuedCommand* front();
  void pop();
  void close();

 private:
  static constexpr size_t kBlockCommands = 64;
  struct Block {
    std::array<QueuedCommand, kBlockCommands> commands;
    Block* next = nullptr;
  };

  QueuedCommand& next_slot();
  void publish();
  bool sleep_until_pushed();

  // Of the thread that pushes.
  Block* tail_;
  size_t tail_used_ = 0;
  // Of the thread that takes.
  alignas(64) Block* head_;
  size_t head_used_ = 0;
  uint64_t popped_ = 0;
  // Of both.
  alignas(64) std::atomic<uint64_t> pushed_ = 0;
  std::atomic<bool> asleep_ = false;
  std::atomic<bool> closed_ = false;
  std::atomic<Block*> spare_ = nullptr;
  std::mutex mutex_;
  std::condition_variable wake_;
};

}  // namespace aaco
