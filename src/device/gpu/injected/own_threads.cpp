// SPDX-License-Identifier: MIT
#include "device/gpu/injected/own_threads.h"

#include <csignal>
#include <exception>
#include <pthread.h>
#include <utility>

namespace aaco::gpu {

std::unique_ptr<std::thread> start_own_thread(const char* name, std::function<void()> work) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  static_cast<void>(::pthread_sigmask(SIG_SETMASK, &all, &before));  // cannot fail with such a set
  std::unique_ptr<std::thread> thread;
  try {
    thread = std::make_unique<std::thread>([name, work = std::move(work)] {
      ::pthread_setname_np(::pthread_self(), name);
      work();
    });
  } catch (const std::exception&) {
    // No memory, or too many threads: the caller goes on without.
  }
  static_cast<void>(::pthread_sigmask(SIG_SETMASK, &before, nullptr));  // likewise
  return thread;
}

}  // namespace aaco::gpu
