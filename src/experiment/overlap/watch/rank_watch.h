// SPDX-License-Identifier: MIT
// Watches a rank's steps, in a thread of its own that never touches a device: what it sees goes into a small mapped
// file beside the plan, where the watches of the other ranks read it. When a step has made no progress
// for the limit, it looks at all of them, says which rank is at fault, and ends the process.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "experiment/overlap/watch/hang.h"

namespace aaco {

struct WatchOptions {
  std::filesystem::path folder;
  int64_t rank = 0;
  int64_t ranks = 1;
  int64_t first_rank = 0;   // of those of this machine
  int64_t local_ranks = 1;  // of the others, the node's parent keeps a copy of their files here
  int64_t limit_ns = 0;
  std::vector<std::vector<std::string>> names;  // of collectives, by communicator
  std::vector<std::vector<int64_t>> groups;     // as find_hang() has them
  ProgressWords* progress = nullptr;            // by communicator: ShardedTraining::progress
  // Called once, from the watch's thread. It says what was found, and does not come back.
  std::function<void(const Hang& hang)> on_hang;
};

struct WatchRecord;

class RankWatch {
 public:
  // Errors: of the file.
  static Result<std::unique_ptr<RankWatch>> start(WatchOptions options);
  ~RankWatch();
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;

  // Around a step, from the thread that enqueues it and waits for it. The first: nothing of it is enqueued yet.
  void begin_step(int64_t step);
  void end_step(int64_t step);

 private:
  explicit RankWatch(WatchOptions options) : options_(std::move(options)) {}
  Result<void> map();
  void serve();
  bool look();
  std::vector<WatchedRank> look_at_all() const;
  std::optional<Hang> told_by_another() const;
  bool is_of_this_machine(int64_t rank) const {
    return rank >= options_.first_rank && rank < options_.first_rank + options_.local_ranks;
  }
  void tell(const Hang& hang);

  WatchOptions options_;
  WatchRecord* record_ = nullptr;
  std::atomic<bool> ends_ = false;
  int64_t last_change_ns_ = 0;
  std::vector<int64_t> last_seen_;
  std::thread thread_;
};

// Says it on stderr as a worker's error is said, and ends the process at once, with the exit code of a resource that
// failed: nothing that may wait for a device is called.
[[noreturn]] void end_hung_process(const Hang& hang);

}  // namespace aaco
