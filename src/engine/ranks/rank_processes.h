// SPDX-License-Identifier: MIT
// Worker processes that are the ranks of one communicator: those of this machine, started all at once, and how all of
// them end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/json/json_value.h"
#include "base/process/event_file.h"
#include "base/result.h"
#include "engine/spawn.h"

namespace aaco {

// Ranks `first` to `first + count - 1`: those of one machine.
struct RankSpan {
  int64_t first = 0;
  int64_t count = 1;
};

struct RankEnds {
  std::vector<Result<JsonValue>> by_rank;  // as run_worker_process
  std::optional<Error> cause;              // where one failed: what the first one failed at
  std::optional<int64_t> dead_rank;        // where that was that a signal ended it
};

// How ranks end, from whatever thread sees it.
class RankEndings {
 public:
  explicit RankEndings(int64_t ranks);
  // The first end of a rank counts. `died`: a signal ended it.
  void add(int64_t rank, const Result<Json>& end, bool died = false);
  // True: all have ended. False: one has failed, and four seconds later others have not noticed.
  bool wait();
  // As long as `longest`.
  bool wait_for_all(std::chrono::nanoseconds longest);
  // Those that have not ended failed, by `otherwise`.
  RankEnds take(const Error& otherwise);

 private:
  bool all_ended() const { return missing_ == 0; }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::optional<Result<JsonValue>>> by_rank_;
  size_t missing_;
  std::optional<Error> cause_;
  std::optional<int64_t> dead_rank_;
};

// The processes of this machine's ranks, numbered as the ranks are.
class RankProcesses {
 public:
  using OnEnd = std::function<void(int64_t rank, const Result<Json>& end, bool died)>;
  // `on_end` is called once for each, from threads of its own.
  // Errors: kResource where nobody could stop them. One that cannot be started has ended with that error.
  static Result<std::unique_ptr<RankProcesses>> start(const SpawnOptions& options, const std::string& worker_role,
                                                      RankSpan ranks, const OnEnd& on_end);
  // Waits for all of them.
  ~RankProcesses();
  RankProcesses(const RankProcesses&) = delete;
  RankProcesses& operator=(const RankProcesses&) = delete;
  // Ends them as an interrupt does.
  void stop() const;

 private:
  explicit RankProcesses(EventFile stop) : stop_(std::move(stop)) {}

  EventFile stop_;
  std::vector<std::thread> threads_;
};

// So many processes at once, numbered from 0. When one has failed, the others have four seconds to notice that and say
// so; then they are ended, as by an interrupt: none that waits for a rank that is gone waits forever.
RankEnds run_rank_processes(const SpawnOptions& options, const std::string& worker_role, int64_t ranks);

}  // namespace aaco
