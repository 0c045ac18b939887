// SPDX-License-Identifier: MIT
#include "base/interrupt.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <sys/eventfd.h>
#include <unistd.h>

namespace aaco {

namespace {

std::atomic<bool> interrupted_flag{false};
std::atomic<bool> sigint_seen{false};  // apart: a worker gets one SIGINT of the terminal and a SIGTERM of its parent
std::atomic<int> event_fd{-1};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free, "used in a handler");

void on_signal(int number) {
  interrupted_flag = true;
  const int error_before = errno;
  const uint64_t one = 1;
  (void)!::write(event_fd, &one, sizeof one);
  errno = error_before;
  if (number == SIGINT && sigint_seen.exchange(true)) {
    ::_exit(130);
  }
}

}  // namespace

void catch_interrupts() {
  if (event_fd < 0) {
    event_fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  }
  struct sigaction action{};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    ::sigaction(number, &action, nullptr);
  }
}

bool interrupted() { return interrupted_flag.load(std::memory_order_relaxed); }

int interrupted_fd() { return event_fd; }

}  // namespace aaco
