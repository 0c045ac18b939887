// SPDX-License-Identifier: MIT
// A thread for one collector, so that a driver's call that hangs stops neither the other collectors nor who asks.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "monitor/collector_keeper.h"

namespace aaco {

class CollectorWatch {
 public:
  // Called with each sample's reading, on the watch's thread.
  using Listener = std::function<void(const CollectorReading&)>;

  // Samples lie on start + k * interval. Errors: kResource where there can be no thread.
  static Result<std::unique_ptr<CollectorWatch>> start(const CollectorInfo& info, CollectorOptions options,
                                                       int64_t interval_ns, Listener listener = nullptr);
  CollectorWatch(const CollectorWatch&) = delete;
  CollectorWatch& operator=(const CollectorWatch&) = delete;
  ~CollectorWatch();

  // The latest. Where that is older than three intervals and five seconds it is kStalled, and without rows.
  CollectorReading reading(int64_t now_ns) const;
  // False where it has not been tried so often by then.
  bool wait_for_steps(int64_t steps, int64_t deadline_ns) const;
  // Waits for a sample under way.
  void stop();

 private:
  CollectorWatch(const CollectorInfo& info, CollectorOptions options, int64_t interval_ns, Listener listener);
  void run();

  CollectorKeeper keeper_;  // of the thread
  const int64_t interval_ns_;
  const Listener listener_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  CollectorReading latest_;
  int64_t stepped_ns_ = 0;  // when the last step ended
  int64_t steps_ = 0;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace aaco
