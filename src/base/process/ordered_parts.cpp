// SPDX-License-Identifier: MIT
#include "base/process/ordered_parts.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <sched.h>
#include <thread>
#include <utility>
#include <vector>

#include "base/interrupt.h"
#include "base/process/thread_start.h"

namespace aaco {

namespace {

constexpr size_t kMostWorkers = 8;  // beyond, they wait for their turn to be taken

class Parts {
 public:
  Parts(size_t count, const std::function<void(size_t, size_t)>& work, const std::function<bool(size_t, size_t)>& take)
      : count_(count), work_(work), take_(take) {}

  // Until there is nothing left. Does not throw.
  void run(size_t worker) {
    size_t part = 0;
    while (next(part)) {
      try {
        work_(worker, part);
        if (!wait_for_turn(part)) {
          return;
        }
        finish_turn(take_(worker, part));
      } catch (...) {
        end(std::current_exception());
        return;
      }
    }
  }

  void rethrow() const {
    if (error_) {
      std::rethrow_exception(error_);
    }
  }

 private:
  bool next(size_t& part) {
    const std::lock_guard lock(mutex_);
    if (ended_ || begun_ == count_ || interrupted()) {
      return false;
    }
    part = begun_++;
    return true;
  }

  bool wait_for_turn(size_t part) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ || taken_ == part; });
    return !ended_;
  }

  void finish_turn(bool go_on) {
    {
      const std::lock_guard lock(mutex_);
      ++taken_;
      ended_ = ended_ || !go_on;
    }
    changed_.notify_all();
  }

  void end(std::exception_ptr error) {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      if (!error_) {
        error_ = std::move(error);
      }
    }
    changed_.notify_all();
  }

  size_t count_;
  const std::function<void(size_t, size_t)>& work_;
  const std::function<bool(size_t, size_t)>& take_;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t begun_ = 0;
  size_t taken_ = 0;
  bool ended_ = false;
  std::exception_ptr error_;
};

}  // namespace

size_t workers_for(size_t parts) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const bool is_known = sched_getaffinity(0, sizeof(allowed), &allowed) == 0;
  const size_t processors = is_known ? static_cast<size_t>(CPU_COUNT(&allowed)) : std::thread::hardware_concurrency();
  return std::clamp<size_t>(parts, 1, std::clamp<size_t>(processors, 1, kMostWorkers));
}

void do_in_order(size_t parts, size_t workers, const std::function<void(size_t worker, size_t part)>& work,
                 const std::function<bool(size_t worker, size_t part)>& take) {
  Parts shared(parts, work, take);
  std::vector<std::thread> threads;
  threads.reserve(workers);
  for (size_t worker = 1; worker < workers; ++worker) {
    auto thread = start_thread([&shared, worker] { shared.run(worker); });
    if (!thread) {
      break;  // fewer do it, too
    }
    threads.push_back(std::move(*thread));
  }
  shared.run(0);
  for (std::thread& thread : threads) {
    thread.join();
  }
  shared.rethrow();
}

}  // namespace aaco
