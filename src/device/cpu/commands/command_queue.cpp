// SPDX-License-Identifier: MIT
#include "device/cpu/commands/command_queue.h"

#include "device/cpu/commands/brief_spin.h"

namespace aaco {

CommandQueue::CommandQueue() : tail_(new Block), head_(tail_) {}

CommandQueue::~CommandQueue() {
  while (head_ != nullptr) {
    delete std::exchange(head_, head_->next);
  }
  delete spare_.load();
}

QueuedCommand& CommandQueue::next_slot() {
  if (tail_used_ == kBlockCommands) {
    Block* block = spare_.exchange(nullptr, std::memory_order_acquire);
    if (block == nullptr) {
      block = new Block;
    }
    tail_->next = block;
    tail_ = block;
    tail_used_ = 0;
  }
  return tail_->commands[tail_used_++];
}

void CommandQueue::publish() {
  // Sequentially consistent, as in sleep_until_pushed(): one of both sees the other.
  pushed_.store(pushed_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
  if (asleep_.load(std::memory_order_seq_cst)) {
    {
      const std::lock_guard lock(mutex_);
    }
    wake_.notify_one();
  }
}

bool CommandQueue::sleep_until_pushed() {
  std::unique_lock lock(mutex_);
  asleep_.store(true, std::memory_order_seq_cst);
  wake_.wait(lock, [&] { return pushed_.load(std::memory_order_seq_cst) > popped_ || closed_.load(); });
  asleep_.store(false, std::memory_order_relaxed);
  return pushed() > popped_;
}

QueuedCommand* CommandQueue::front() {
  if (!brief_spin([&] { return pushed() > popped_; }) && !sleep_until_pushed()) {
    return nullptr;
  }
  if (head_used_ == kBlockCommands) {
    Block* used = std::exchange(head_, head_->next);
    head_used_ = 0;
    used->next = nullptr;
    delete spare_.exchange(used, std::memory_order_acq_rel);
  }
  return &head_->commands[head_used_];
}

void CommandQueue::pop() {
  ++head_used_;
  ++popped_;
}

void CommandQueue::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  wake_.notify_one();
}

}  // namespace aaco
