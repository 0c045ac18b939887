// SPDX-License-Identifier: MIT
#include "base/process/foreign_command.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/process/limit_error.h"

namespace aaco {

namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// In the child. What it cannot do it tells through `report`, which exec closes.
[[noreturn]] void become(char* const* arguments, const std::vector<std::pair<std::string, std::string>>& environment,
                         int report) {
  sigset_t none;
  (void)::sigemptyset(&none);
  (void)::pthread_sigmask(SIG_SETMASK, &none, nullptr);  // cannot fail with such a set
  (void)::signal(SIGPIPE, SIG_DFL);
  for (const auto& [name, value] : environment) {
    (void)::setenv(name.c_str(), value.c_str(), 1);
  }
  ::execvp(arguments[0], arguments);
  const int failed = errno;
  (void)!::write(report, &failed, sizeof failed);  // else the exit code says it
  ::_exit(127);
}

// Passes on what comes to aaco and was not sent to the command as well.
class SignalRelay {
 public:
  SignalRelay(pid_t pid, const GroupWitness& witness) : pid_(pid), witness_(witness) {}

  void look() {
    const int64_t now_ns = monotonic_ns();
    for (Wish& wish : wishes_) {
      const int count = CommandSignals::count(wish.number);
      if (count != wish.signals && now_ns >= wish.decide_ns + kOneWishNs) {
        wish.decide_ns = now_ns + kOneWishNs;
        wish.is_open = true;
        first_ = first_ == 0 ? wish.number : first_;
      }
      wish.signals = count;
      if (wish.is_open && now_ns >= wish.decide_ns) {
        wish.is_open = false;
        ++wish.times;
        relay(wish, now_ns);
      }
    }
    if (ended_ns_ != 0 && now_ns - ended_ns_ > kEndNs) {
      (void)::kill(pid_, SIGKILL);  // it is there: nobody else waits for it
    }
  }
  int first() const { return first_; }

 private:
  static constexpr int64_t kOneWishNs = kSecondNs / 10;  // `timeout` signals its child and then the group
  static constexpr int64_t kEndNs = 2 * kSecondNs;

  struct Wish {
    int number;
    int signals = 0;
    int times = 0;
    int64_t decide_ns = INT64_MIN / 2;
    bool is_open = false;
  };

  void relay(const Wish& wish, int64_t now_ns) {
    if (wish.number == SIGINT && wish.times > 1) {
      ended_ns_ = ended_ns_ == 0 ? now_ns : ended_ns_;
      (void)::kill(pid_, SIGTERM);  // as above
    } else if (wish.times > 1 || !witness_.has_seen(wish.number) || ::getpgid(pid_) != ::getpgrp()) {
      (void)::kill(pid_, wish.number);  // as above
    }
  }

  pid_t pid_;
  const GroupWitness& witness_;
  std::array<Wish, 3> wishes_{{{SIGINT}, {SIGTERM}, {SIGHUP}}};
  int first_ = 0;
  int64_t ended_ns_ = 0;
};

}  // namespace

Result<ForeignCommand> ForeignCommand::start(const std::vector<std::string>& arguments,
                                             const std::vector<std::pair<std::string, std::string>>& environment) {
  auto signals = std::make_unique<CommandSignals>();
  if (interrupted()) {
    return Error{ErrorKind::kInterrupted, "interrupted", ""};
  }
  AACO_ASSIGN(GroupWitness witness, GroupWitness::start());
  std::array<int, 2> report{-1, -1};
  if (::pipe2(report.data(), O_CLOEXEC) != 0) {
    return limit_error("make a pipe", errno);
  }
  std::vector<char*> words(arguments.size() + 1, nullptr);
  std::transform(arguments.begin(), arguments.end(), words.begin(),
                 [](const std::string& argument) { return const_cast<char*>(argument.c_str()); });
  rusage own{};
  (void)::getrusage(RUSAGE_SELF, &own);  // cannot fail for it
  const pid_t pid = ::fork();
  if (pid == 0) {
    become(words.data(), environment, report[1]);
  }
  const int fork_failed = errno;
  ::close(report[1]);
  int failed = 0;
  ssize_t got = -1;
  if (pid > 0) {
    do {
      got = ::read(report[0], &failed, sizeof failed);
    } while (got < 0 && errno == EINTR);
  }
  ::close(report[0]);
  if (pid < 0) {
    return limit_error("start a process", fork_failed);
  }
  if (got == static_cast<ssize_t>(sizeof failed)) {
    (void)::waitpid(pid, nullptr, 0);  // it has ended, or is about to
    return Error{ErrorKind::kUsage, fmt::format("cannot run {}: {}", arguments.front(), std::strerror(failed)),
                 "name a program that is on PATH, or its path; its own flags come behind --"};
  }
  return ForeignCommand(pid, own.ru_maxrss, std::move(signals), std::move(witness));
}

Result<CommandEnd> ForeignCommand::wait(int every_ms, const std::function<Result<void>()>& meanwhile) {
  const int end_fd = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));  // -1 on kernels before 5.3
  SignalRelay relay(pid_, witness_);
  std::optional<Error> problem;
  int status = 0;
  rusage used{};
  for (pid_t ended = 0; ended != pid_;) {
    relay.look();
    if (!problem) {
      if (const Result<void> done = meanwhile(); !done) {
        problem = done.error();
      }
    }
    pollfd polled{end_fd, POLLIN, 0};
    (void)::poll(&polled, 1, every_ms);  // sooner or later: both are fine
    ended = ::wait4(pid_, &status, WNOHANG, &used);
    if (ended < 0 && errno != EINTR) {
      return limit_error("wait for a process", errno);
    }
  }
  if (end_fd >= 0) {
    ::close(end_fd);
  }
  if (problem) {
    return *problem;
  }
  CommandEnd end;
  end.told = relay.first();
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  end.exit_code = end.signal != 0 ? 128 + end.signal : WEXITSTATUS(status);
  end.user_seconds = seconds_of(used.ru_utime);
  end.system_seconds = seconds_of(used.ru_stime);
  if (used.ru_maxrss > own_peak_kib_) {
    end.peak_memory_bytes = int64_t{used.ru_maxrss} * 1024;
  }
  return end;
}

}  // namespace aaco
