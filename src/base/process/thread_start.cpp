// SPDX-License-Identifier: MIT
#include "base/process/thread_start.h"

#include <cerrno>
#include <csignal>
#include <future>
#include <pthread.h>
#include <system_error>
#include <utility>

#include "base/process/limit_error.h"

namespace aaco {

Result<std::thread> start_thread(std::function<void()> work) {
  sigset_t all, before;
  sigfillset(&all);
  const bool is_masked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
  int problem = 0;
  std::thread thread;
  try {
    thread = std::thread(std::move(work));
  } catch (const std::system_error& error) {
    problem = error.code().value();
  }
  if (is_masked && pthread_sigmask(SIG_SETMASK, &before, nullptr) != 0) {
    problem = problem == 0 ? EINVAL : problem;
  }
  if (!thread.joinable()) {
    return limit_error("start a thread", problem);
  }
  return thread;
}

Result<void> run_threads(size_t count, const std::function<void(size_t index)>& work) {
  std::promise<bool> all_are_here;
  const std::shared_future<bool> begin = all_are_here.get_future().share();
  std::vector<std::thread> threads;
  threads.reserve(count);
  Result<void> outcome;
  for (size_t i = 0; i < count && outcome; ++i) {
    auto started = start_thread([&work, begin, i] {
      if (begin.get()) {
        work(i);
      }
    });
    if (started) {
      threads.push_back(std::move(*started));
    } else {
      outcome = started.error();
    }
  }
  all_are_here.set_value(outcome.has_value());
  for (std::thread& thread : threads) {
    thread.join();
  }
  return outcome;
}

}  // namespace aaco
