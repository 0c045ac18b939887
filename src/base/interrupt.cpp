// SPDX-License-Identifier: MIT
#include "base/interrupt.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <poll.h>
#include <pthread.h>
#include <string>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/command_signals.h"
#include "base/unfinished_path.h"

namespace aaco {

namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr timeval kFirstLook{1, 250'000};
constexpr timeval kNextLooks{0, 250'000};
constexpr int64_t kLongestCloseCpuNs = 3 * kSecondNs / 2;
constexpr int64_t kLongestCloseNs = 8 * kSecondNs;

std::atomic<bool> interrupted_flag{false};
std::atomic<bool> sigint_seen{false};  // apart: a worker gets one SIGINT of the terminal and a SIGTERM of its parent
std::atomic<int> event_fd{-1};
std::atomic<int> awaited_closes{0};
std::atomic<int64_t> began_ns{0};
std::atomic<int64_t> began_cpu_ns{0};
std::atomic<bool> has_command{false};
std::array<std::atomic<int>, SIGTERM + 1> command_signals{};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
                  std::atomic<int64_t>::is_always_lock_free,
              "in a handler");

int64_t now_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * kSecondNs + now.tv_nsec;
}

[[noreturn]] void end_now() {
  remove_unfinished_paths();
  pollfd to_people{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&to_people, 1, 0) == 1 && (to_people.revents & POLLOUT) != 0) {  // a full pipe would hold the end up
    constexpr std::string_view kMessage = "aaco: interrupted\n";
    (void)!::write(STDERR_FILENO, kMessage.data(), kMessage.size());  // nobody is left to tell
  }
  ::_exit(static_cast<int>(ErrorKind::kInterrupted));
}

// Handlers call what is safe in one. setitimer is: a system call and nothing else.
void on_timer(int) {
  const int error_before = errno;
  const bool may_go_on = awaited_closes > 0 && now_ns(CLOCK_MONOTONIC) - began_ns < kLongestCloseNs &&
                         now_ns(CLOCK_PROCESS_CPUTIME_ID) - began_cpu_ns < kLongestCloseCpuNs;
  if (!may_go_on) {
    end_now();
  }
  errno = error_before;
}

void on_signal(int number, siginfo_t* info, void*) {
  if (info->si_code == SI_TKILL && info->si_pid == ::getpid()) {
    return;
  }
  if (has_command) {
    ++command_signals[static_cast<size_t>(number)];
    return;
  }
  const int error_before = errno;
  if (!interrupted_flag.exchange(true)) {
    began_ns = now_ns(CLOCK_MONOTONIC);
    began_cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
    const itimerval looks{kNextLooks, kFirstLook};
    (void)!::setitimer(ITIMER_REAL, &looks, nullptr);  // cannot fail with such times
  }
  const uint64_t wake_up = 1;
  (void)!::write(event_fd, &wake_up, sizeof wake_up);  // full: it is readable
  if (number == SIGINT && sigint_seen.exchange(true)) {
    remove_unfinished_paths();
    ::_exit(static_cast<int>(ErrorKind::kInterrupted));
  }
  errno = error_before;
}

}  // namespace

Result<void> catch_interrupts() {
  if (event_fd < 0) {
    event_fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  }
  if (event_fd < 0) {
    return Error{ErrorKind::kResource, std::string("cannot make an event file: ") + std::strerror(errno),
                 "close some files, or raise the limit (ulimit -n)"};
  }
  struct sigaction action{};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO;
  sigset_t caught;
  sigemptyset(&action.sa_mask);
  sigemptyset(&caught);
  bool fine = true;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before{};
    if (number == SIGHUP && ::sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) {
      continue;  // nohup asked for that
    }
    fine = ::sigaction(number, &action, nullptr) == 0 && sigaddset(&caught, number) == 0 && fine;
  }
  struct sigaction timer{};
  timer.sa_handler = on_timer;
  timer.sa_flags = SA_RESTART;  // what closes is not to notice
  sigemptyset(&timer.sa_mask);
  fine = ::sigaction(SIGALRM, &timer, nullptr) == 0 && sigaddset(&caught, SIGALRM) == 0 && fine;
  fine = ::pthread_sigmask(SIG_UNBLOCK, &caught, nullptr) == 0 && fine;  // whoever started this may have blocked them
  return fine ? Result<void>()
              : Result<void>(Error{ErrorKind::kResource, "cannot catch signals", "see the limits of this container"});
}

bool interrupted() { return interrupted_flag.load(std::memory_order_relaxed); }

void end_if_interrupted() {
  if (interrupted()) [[unlikely]] {
    throw Interruption();
  }
}

void await_close() { ++awaited_closes; }
void close_done() { --awaited_closes; }

int interrupted_fd() { return event_fd; }

CommandSignals::CommandSignals() {
  for (std::atomic<int>& count : command_signals) {
    count = 0;
  }
  has_command = true;
}

CommandSignals::~CommandSignals() { has_command = false; }

int CommandSignals::count(int number) { return command_signals[static_cast<size_t>(number)]; }

}  // namespace aaco
