// SPDX-License-Identifier: MIT
// The entries of the library in a foreign program. CUDA's driver calls InitializeInjection when it is initialised in a
// program that CUDA_INJECTION64_PATH names the library to; aaco has AacoObserve called in a program that runs.
#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <exception>
#include <fstream>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <string>
#include <unistd.h>

#include "device/gpu/cupti/cupti_buffers.h"
#include "device/gpu/cupti/cupti_collector.h"
#include "device/gpu/cupti/graph_nodes.h"
#include "device/gpu/injected/host_ranges.h"
#include "device/gpu/injected/observed_process.h"
#include "device/gpu/injected/own_threads.h"
#include "device/observe_request.h"
#include "device/observe_variables.h"
#include "record/device/dormant_page.h"

namespace aaco::gpu {

namespace {

// Never destroyed.
struct Observation {
  std::mutex mutex;
  std::unique_ptr<ObservedProcess> process;
  std::unique_ptr<DormantSleeper> sleeper;
  bool has_hooks = false;
};

Observation& observation() {
  static auto* const the_observation = new Observation;
  return *the_observation;
}

// The child's copy must not find a lock taken by a thread that it has not got.
void before_fork() {
  observation().mutex.lock();
  lock_cupti();
  graph_nodes().lock();
  host_ranges().before_fork();
}

void after_fork_in_parent() {
  host_ranges().after_fork_in_parent();
  graph_nodes().unlock();
  unlock_cupti();
  observation().mutex.unlock();
}

void after_fork_in_child() {
  if (observation().process) {
    observation().process->after_fork_in_child();
  }
  static_cast<void>(observation().sleeper.release());  // the parent's
  host_ranges().after_fork_in_child();
  graph_nodes().unlock();
  unlock_cupti();
  observation().mutex.unlock();
}

void at_exit() {
  Observation& own = observation();
  const std::lock_guard lock(own.mutex);
  if (own.process) {
    own.process->end();
  }
  if (own.sleeper) {
    own.sleeper->remove();
  }
}

// With the lock held.
void add_hooks(Observation& own) {
  if (!own.has_hooks) {
    own.has_hooks = true;
    ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    std::atexit(at_exit);
  }
}

void tell_problem(const ObserveTask& task, const char* text) {
  std::ofstream(task.folder + '/' + std::to_string(::getpid()) + '_' + std::to_string(monotonic_ns()) +
                observe_variable::kProblemExtension)
      << text << '\n';
}

void observe(const ObserveTask& task) {
  Observation& own = observation();
  const std::lock_guard lock(own.mutex);
  if (own.process && !own.process->is_over()) {
    tell_problem(task, "another aaco observes it already");
    return;
  }
  own.process = std::make_unique<ObservedProcess>(task);
  add_hooks(own);
  own.process->start();
}

void sleep_until_woken() {
  Observation& own = observation();
  const std::lock_guard lock(own.mutex);
  own.sleeper = DormantSleeper::create();
  if (!own.sleeper) {
    return;
  }
  add_hooks(own);
  host_ranges().stop();  // until it is woken; what is open is known then
  const std::unique_ptr<std::thread> thread = start_own_thread("aaco-asleep", [sleeper = own.sleeper.get()] {
    while (true) {
      try {
        if (const std::optional<ObserveTask> task = parse_observe_text(sleeper->wait())) {
          observe(*task);
        }
      } catch (const std::exception&) {
        // No memory: this time it is not observed.
      }
    }
  });
  if (thread) {
    thread->detach();
  }
}

// The library that the variable named before ours. What it answers is no matter of ours. It may call us in turn.
void start_chained() {
  static bool started = false;
  if (started) {
    return;
  }
  started = true;
  const char* path = std::getenv(observe_variable::kChained);
  void* library = path != nullptr && *path != '\0' ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (library != nullptr) {
    if (auto* initialize = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection")); initialize != nullptr) {
      initialize();
    }
  }
}

// Once in a process, though the driver may be initialised twice.
void start_as_environment_says() {
  static std::atomic<bool> started = false;
  if (started.exchange(true)) {
    return;
  }
  const char* dormant = std::getenv(observe_variable::kDormant);
  if (const std::optional<ObserveTask> task = observe_task_of_environment()) {
    observe(*task);
  } else if (dormant != nullptr && *dormant != '\0') {
    sleep_until_woken();
  }
}

}  // namespace

}  // namespace aaco::gpu

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  try {
    aaco::gpu::start_as_environment_says();
  } catch (const std::exception&) {
    // The program goes on unobserved: it must not notice.
  }
  aaco::gpu::start_chained();
  return 1;
}

// A thread that may wait for any lock calls it.
extern "C" __attribute__((visibility("default"))) int AacoObserve(const char* text) {
  try {
    const std::optional<aaco::ObserveTask> task = aaco::parse_observe_text(text);
    if (!task) {
      return 2;
    }
    aaco::gpu::observe(*task);
  } catch (const std::exception&) {
    return 1;  // as above
  }
  return 0;
}
