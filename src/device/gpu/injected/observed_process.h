// SPDX-License-Identifier: MIT
// A recording of a foreign program: its collector, its ring, and the thread that flushes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "device/module_api.h"
#include "device/observe_request.h"
#include "record/device/activity_ring.h"
#include "record/device/span_budget.h"

namespace aaco::gpu {

// From its start until aaco wants nothing more, or the process's end; a process may have one after the other. It is not
// destroyed while its collector runs: threads of CUPTI may deliver until the last moment.
class ObservedProcess {
 public:
  explicit ObservedProcess(ObserveTask task) : task_(std::move(task)) {}
  ObservedProcess(const ObservedProcess&) = delete;
  ObservedProcess& operator=(const ObservedProcess&) = delete;
  ~ObservedProcess();

  // Collects from now on, or notes why not.
  void start();
  // The program ends by itself.
  void end();
  // Nothing of it runs any more, nor will.
  bool is_over() const { return is_over_.load(std::memory_order_acquire); }
  // The child of a fork has no thread that flushes and must not store into the parent's ring; it gets its own with the
  // first record, should there ever be one.
  void after_fork_in_child();

 private:
  enum class Delivery : uint8_t { kHere, kPaused, kToAnother };

  void start_flushing();
  void keep_flushing();
  void flush();
  void keep_budget();
  bool has_ring();
  void hold_owner();
  void drop_owner();
  bool is_owner_gone();
  void close();
  void leave();
  void hand_over_ranges();
  void yield_to_other(int64_t since_ns);
  void resume_where_free();
  void add_span(int64_t start_ns, int64_t end_ns);
  void end_span(int64_t end_ns);
  uint64_t cost_ns() const;
  void update_costs();
  AacoSink sink();

  ObserveTask task_;
  std::string ring_path_;
  int owner_ = -1;  // its file, held open: a program that is out of descriptors is none whose owner is gone
  uint64_t owner_device_ = 0;
  uint64_t owner_inode_ = 0;
  std::unique_ptr<ActivityRingWriter> ring_;  // CUPTI's collector calls one at a time
  bool ring_failed_ = false;
  bool started_ = false;
  bool other_is_subscribed_ = false;  // of a profiler that has the records
  unsigned waits_ = 0;                // for it to end
  int64_t resumed_ns_ = 0;            // after the last of those; 0: there was none
  std::vector<std::string> names_;    // in the order of their numbers, for the ring of a forked child
  std::unique_ptr<std::thread> flusher_;
  Delivery delivery_ = Delivery::kHere;
  SpanBudget budget_{0, 0};
  uint64_t callback_before_ns_ = 0;  // of the process's earlier recordings
  uint64_t callback_in_flush_ns_ = 0;
  std::atomic<bool> ranges_wait_ = false;  // many, to be handed over
  std::atomic<bool> is_ending_ = false;
  std::atomic<bool> is_over_ = false;
};

}  // namespace aaco::gpu
