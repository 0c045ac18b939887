// SPDX-License-Identifier: MIT
#include "base/interrupt.h"

#include <atomic>
#include <csignal>
#include <unistd.h>

namespace aaco {

namespace {

std::atomic<bool> interrupted_flag{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

void on_signal(int number) {
  if (interrupted_flag.exchange(true) && number == SIGINT) {
    ::_exit(130);
  }
}

}  // namespace

void catch_interrupts() {
  struct sigaction action{};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    ::sigaction(number, &action, nullptr);
  }
}

bool interrupted() { return interrupted_flag.load(std::memory_order_relaxed); }

}  // namespace aaco
