// SPDX-License-Identifier: MIT
// How far a queue of commands has come, for others to wait for, and the first thing that failed in it. Commands are
// numbered from 1.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>

#include "base/result.h"

namespace aaco {

class Progress {
 public:
  // All commands up to `sequence` are done, or left out after a failure. By one thread at a time, ascending.
  void advance_to(uint64_t sequence);
  void wait_for(uint64_t sequence);
  uint64_t done() const { return done_.load(std::memory_order_acquire); }

  // The first failure is kept. Before advance_to(sequence).
  void fail(uint64_t sequence, Error error);
  bool failed() const { return failed_at_.load(std::memory_order_acquire) != kNever; }
  // The failure at or before `sequence`.
  Result<void> outcome_of(uint64_t sequence) const;

 private:
  static constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

  std::atomic<uint64_t> done_ = 0;
  std::atomic<uint64_t> wanted_ = kNever;  // the least that somebody sleeps for
  std::atomic<uint64_t> failed_at_ = kNever;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Error failure_;
};

// A place in a queue. Empty: no place at all, nothing to wait for.
struct Mark {
  std::shared_ptr<Progress> progress;
  uint64_t sequence = 0;
};

// Waits for the place; the failure at or before it.
Result<void> wait_for(const Mark& mark);

}  // namespace aaco
