// SPDX-License-Identifier: MIT
#include "base/process/started_child.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/process/limit_error.h"

namespace aaco {

namespace {

constexpr int kCannotStart = 127;  // as a shell has it

struct Pipe {
  std::array<int, 2> ends{-1, -1};
  bool open() { return ::pipe2(ends.data(), O_CLOEXEC) == 0; }
  void close_end(int which) {
    if (ends[which] >= 0) {
      ::close(ends[which]);
      ends[which] = -1;
    }
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
};

// In the child: says why it cannot become the program, and ends.
[[noreturn]] void give_up(const char* what, int error_number) {
  ::dprintf(STDERR_FILENO, "aaco: cannot start a process: %s: %s\nhint: see the limits (ulimit -a)\n", what,
            std::strerror(error_number));
  const bool is_limit =
      error_number == EAGAIN || error_number == ENOMEM || error_number == EMFILE || error_number == ENFILE;
  ::_exit(is_limit ? static_cast<int>(ErrorKind::kResource) : kCannotStart);
}

// In the child. `arguments` ends with a null pointer; it is made before the fork, as a program with threads should.
[[noreturn]] void become(const ProcessOptions& options, char* const* arguments, int in, int out, int error,
                         pid_t parent) {
  // The child must not outlive a parent that was killed: its measurements would go on with nobody to keep them.
  if (in >= 0 && ::dup2(in, STDIN_FILENO) < 0) {
    give_up("its input", errno);
  }
  if (::dup2(error, STDERR_FILENO) < 0 || ::dup2(out, STDOUT_FILENO) < 0) {
    give_up("its output", errno);
  }
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
    give_up("it would outlive this one", errno);
  }
  if (::getppid() != parent) {
    ::_exit(kCannotStart);
  }
  sigset_t none;  // the thread that forks may have blocked them
  if (::sigemptyset(&none) != 0 || ::pthread_sigmask(SIG_SETMASK, &none, nullptr) != 0) {
    give_up("its signals", errno);
  }
  // Ctrl-C reaches the whole foreground group; only the parent decides what to do about it.
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGPIPE, SIG_DFL);
  if (!options.processors.empty()) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int processor : options.processors) {
      CPU_SET(processor, &set);
    }
    if (::sched_setaffinity(0, sizeof set, &set) != 0) {
      ::dprintf(STDERR_FILENO, "aaco: cannot pin to the processors that were asked for: %s\nhint: correct --pin\n",
                std::strerror(errno));
      ::_exit(kCannotStart);
    }
  }
  for (const auto& [name, value] : options.environment) {
    if (::setenv(name.c_str(), value.c_str(), 1) != 0) {
      give_up(name.c_str(), errno);
    }
  }
  ::execvp(arguments[0], arguments);
  give_up(arguments[0], errno);
}

}  // namespace

StartedChild::StartedChild(pid_t pid, int input, int output, int errors)
    : pid_(pid),
      input_(input),
      output_(output),
      errors_(errors),
      end_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}

StartedChild::StartedChild(StartedChild&& other) noexcept
    : pid_(other.pid_),
      input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)),
      errors_(std::exchange(other.errors_, -1)),
      end_(std::exchange(other.end_, -1)) {}

StartedChild::~StartedChild() {
  for (const int descriptor : {input_, output_, errors_, end_}) {
    if (descriptor >= 0) {
      ::close(descriptor);
    }
  }
}

void StartedChild::end_input() {
  if (input_ >= 0) {
    ::close(std::exchange(input_, -1));
  }
}

Result<StartedChild> StartedChild::start(const ProcessOptions& options) {
  Pipe in, out, error;
  if (!out.open() || !error.open() || (options.is_asked && !in.open())) {
    return limit_error("make a pipe", errno);
  }
  std::vector<char*> arguments(options.arguments.size() + 1, nullptr);
  std::transform(options.arguments.begin(), options.arguments.end(), arguments.begin(),
                 [](const std::string& argument) { return const_cast<char*>(argument.c_str()); });
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) {
    return limit_error("start a process", errno);
  }
  if (pid == 0) {
    become(options, arguments.data(), in.ends[0], out.ends[1], error.ends[1], parent);
  }
  return StartedChild(pid, std::exchange(in.ends[1], -1), std::exchange(out.ends[0], -1),
                      std::exchange(error.ends[0], -1));
}

}  // namespace aaco
