// SPDX-License-Identifier: MIT
#include "observe/roofs/team.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <utility>

#include "base/format.h"
#include "base/process/thread_start.h"

namespace aaco {

namespace {

// Position of a processor among the hardware threads of its core; 0 where the kernel does not tell.
int sibling_rank(const HostFiles& host, int processor) {
  const auto text = host.text(fmt::format("sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", processor));
  const auto siblings = text ? parse_processor_list(*text) : std::nullopt;
  if (!siblings) {
    return 0;
  }
  return static_cast<int>(std::find(siblings->begin(), siblings->end(), processor) - siblings->begin());
}

bool pin_to(int processor) {
  struct Free {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
  };
  const std::unique_ptr<cpu_set_t, Free> set(CPU_ALLOC(processor + 1));
  const size_t bytes = CPU_ALLOC_SIZE(processor + 1);
  CPU_ZERO_S(bytes, set.get());
  CPU_SET_S(processor, bytes, set.get());
  return pthread_setaffinity_np(pthread_self(), bytes, set.get()) == 0;
}

}  // namespace

Result<std::vector<int>> spread_processors(const HostFiles& host, const std::vector<int>& allowed, int64_t count) {
  if (count < 1 || count > static_cast<int64_t>(allowed.size())) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: this process may run on {}", counted(count, "thread", "threads"),
                             counted(allowed.size(), "processor", "processors")),
                 fmt::format("give a number from 1 to {}", allowed.size())};
  }
  std::vector<std::pair<int, int>> ranked;  // rank, then number
  for (const int processor : allowed) {
    ranked.emplace_back(sibling_rank(host, processor), processor);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<int> chosen;
  for (const auto& [rank, processor] : ranked) {
    chosen.push_back(processor);
  }
  chosen.resize(static_cast<size_t>(count));
  return chosen;
}

Result<void> run_team(const std::vector<int>& processors, const std::function<void(size_t index)>& work) {
  std::atomic<size_t> in_place{0};
  std::atomic<bool> failed{false};
  std::vector<std::thread> threads;
  threads.reserve(processors.size());
  std::optional<Error> no_thread;
  for (size_t i = 0; i < processors.size() && !failed; ++i) {
    auto thread = start_thread([&, i] {
      if (!pin_to(processors[i])) {
        failed = true;
      }
      ++in_place;
      while (in_place < processors.size() && !failed) {
        __builtin_ia32_pause();
      }
      if (!failed) {
        work(i);
      }
    });
    if (thread) {
      threads.push_back(std::move(*thread));
    } else {
      no_thread = thread.error();
      failed = true;
    }
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  if (no_thread) {
    return *no_thread;
  }
  if (failed) {
    return Error{ErrorKind::kResource,
                 fmt::format("cannot start {} threads, each on a processor of its own", processors.size()),
                 "measure with fewer threads (--threads), or raise the limit of processes (ulimit -u)"};
  }
  return {};
}

}  // namespace aaco
