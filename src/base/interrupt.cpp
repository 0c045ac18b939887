// SPDX-License-Identifier: MIT
#include "base/interrupt.h"

#include <atomic>
#include <csignal>
#include <unistd.h>

namespace aaco {

namespace {

std::atomic<bool> interrupted_flag{false};
std::atomic<bool> sigint_seen{false};  // apart: a worker gets one SIGINT of the terminal and a SIGTERM of its parent
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

void on_signal(int number) {
  interrupted_flag = true;
  if (number == SIGINT && sigint_seen.exchange(true)) {
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
