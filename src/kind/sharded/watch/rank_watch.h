// SPDX-License-Identifier: MIT
// Watches a rank's steps, in a thread of its own that never touches a device. When a step has made no progress for the
// limit, which counts once all ranks have enqueued their first step to the end, it looks at what the watches of all
// ranks say of themselves (watch_record.h), says which rank is at fault, has every rank leave behind where its host
// thread is, and ends the process.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <string>
#include <thread>
#include <vector>

#include "kind/sharded/watch/watch_record.h"
#include "workload/program.h"

namespace aaco {

inline constexpr int64_t kWatchPauseNs = 100'000'000;  // between two looks

struct WatchOptions {
  std::filesystem::path folder;
  int64_t rank = 0;
  int64_t ranks = 1;
  int64_t first_rank = 0;   // of those of this machine
  int64_t local_ranks = 1;  // of the others, the node's parent keeps a copy of their files here
  int64_t limit_ns = 0;
  int64_t set_up_limit_ns = 600'000'000'000;   // of what comes before, where that is longer
  std::vector<CollectiveCommand> collectives;  // of a step, in the program's order
  std::vector<std::vector<int64_t>> groups;    // as find_hang() has them
  ProgressWords* progress = nullptr;           // by communicator: ShardedTraining::progress
  // Called once, from the watch's thread. It says what was found, and does not come back.
  std::function<void(const Hang& hang)> on_hang;
};

class RankWatch {
 public:
  // Of the thread that calls it. Errors: of the file.
  static Result<std::unique_ptr<RankWatch>> start(WatchOptions options);
  ~RankWatch();
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;

  // Around a step, from the thread that enqueues it and waits for it. The first: nothing of it is enqueued yet.
  void begin_step(int64_t step);
  void enqueued(int32_t communicator, Collective collective, int64_t count, Dtype dtype);
  void enqueued_whole_step() { record_->steps_enqueued = record_->steps_begun.load(); }
  // The same where the host makes no calls: all of the program's collectives.
  void launched_whole_step();
  void end_step(int64_t step);
  // Of this process. From kBegun on the progress words are not read.
  void tear_down(TeardownStage stage);

  // A rank whose collective is not the program's, where ranks fail because they disagree.
  std::optional<Hang> find_mismatch() const;
  // Tells the other ranks, and the parent, what held them up.
  void tell(const Hang& hang);

 private:
  explicit RankWatch(WatchOptions options);
  Result<void> map();
  void serve();
  bool look();
  void time_collectives(int64_t step, size_t communicator, ProgressWords words, int64_t now_ns);
  std::vector<WatchedRank> look_at_all() const;
  std::optional<Hang> told_by_another();
  int64_t ranks_in_set_up() const;
  bool is_of_this_machine(int64_t rank) const {
    return rank >= options_.first_rank && rank < options_.first_rank + options_.local_ranks;
  }
  char state_of(int64_t rank, const WatchRecord* record) const;
  void end(const Hang& hang);
  void leave_stack();
  void wait_for_stacks() const;

  WatchOptions options_;
  std::vector<std::vector<std::string>> names_;  // of collectives, by communicator
  MappedRecord mapped_;
  WatchRecord* record_ = nullptr;
  std::vector<MappedRecord> others_;  // by rank, each from when it was there first
  pthread_t host_thread_;
  std::vector<int64_t> enqueued_;  // in this step, by communicator
  std::mutex progress_mutex_;      // held while words are read, and where they go away
  std::atomic<bool> ends_ = false;
  int64_t last_change_ns_ = 0;
  std::vector<int64_t> last_seen_;
  std::thread thread_;
};

// Says that a process has come to this stage of its teardown, when it is left.
class TeardownMark {
 public:
  // `watch`: null where it did not come to be.
  TeardownMark(const std::unique_ptr<RankWatch>& watch, TeardownStage stage) : watch_(watch), stage_(stage) {}
  ~TeardownMark() {
    if (watch_) {
      watch_->tear_down(stage_);
    }
  }
  TeardownMark(const TeardownMark&) = delete;
  TeardownMark& operator=(const TeardownMark&) = delete;

 private:
  const std::unique_ptr<RankWatch>& watch_;
  TeardownStage stage_;
};

// Says it on stderr as a worker's error is said, and ends the process at once, with the exit code of a resource that
// failed: nothing that may wait for a device is called.
[[noreturn]] void end_hung_process(const Hang& hang);
// The same of a rank that fails by itself while others may wait for it: what it is destroyed with may wait for them.
[[noreturn]] void end_failed_process(const Error& error);

}  // namespace aaco
