// SPDX-License-Identifier: MIT
#include "device/cpu/commands/progress.h"

#include <utility>

#include "device/cpu/commands/brief_spin.h"

namespace aaco {

void Progress::advance_to(uint64_t sequence) {
  // Both orders are sequentially consistent: either the sleeper sees what is done, or this sees what is wanted.
  done_.store(sequence, std::memory_order_seq_cst);
  if (sequence >= wanted_.load(std::memory_order_seq_cst)) {
    {
      const std::lock_guard lock(mutex_);
      wanted_.store(kNever, std::memory_order_relaxed);  // who wants more says so again
    }
    changed_.notify_all();
  }
}

void Progress::wait_for(uint64_t sequence) {
  if (brief_spin([&] { return done() >= sequence; })) {
    return;
  }
  std::unique_lock lock(mutex_);
  while (true) {
    if (sequence < wanted_.load(std::memory_order_relaxed)) {
      wanted_.store(sequence, std::memory_order_seq_cst);
    }
    if (done_.load(std::memory_order_seq_cst) >= sequence) {
      return;
    }
    changed_.wait(lock);
  }
}

void Progress::fail(uint64_t sequence, Error error) {
  const std::lock_guard lock(mutex_);
  if (!failed()) {
    failure_ = std::move(error);
    failed_at_.store(sequence, std::memory_order_release);
  }
}

Result<void> Progress::outcome_of(uint64_t sequence) const {
  if (failed_at_.load(std::memory_order_acquire) > sequence) {
    return {};
  }
  return failure_;  // written once, before failed_at_
}

Result<void> wait_for(const Mark& mark) {
  if (mark.progress == nullptr) {
    return {};
  }
  mark.progress->wait_for(mark.sequence);
  return mark.progress->outcome_of(mark.sequence);
}

}  // namespace aaco
