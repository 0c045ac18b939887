// SPDX-License-Identifier: MIT
#include "base/process/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/process/limit_error.h"

namespace aaco {

namespace {

constexpr size_t kErrorTextLimit = size_t{64} << 10;
constexpr int64_t kGraceNs = 1'000'000'000;
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
[[noreturn]] void become(const ProcessOptions& options, char* const* arguments, int out, int error, pid_t parent) {
  // The child must not outlive a parent that was killed: its measurements would go on with nobody to keep them.
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

// Splits what arrives into lines.
class LineSplitter {
 public:
  explicit LineSplitter(const std::function<void(std::string_view)>& take) : take_(take) {}
  void add(std::string_view text) {
    pending_ += text;
    size_t start = 0;
    for (size_t end = pending_.find('\n'); end != std::string::npos; end = pending_.find('\n', start)) {
      if (take_) {
        take_(std::string_view(pending_).substr(start, end - start));
      }
      start = end + 1;
    }
    pending_.erase(0, start);
  }
  void finish() {
    if (!pending_.empty() && take_) {
      take_(pending_);
    }
  }

 private:
  const std::function<void(std::string_view)>& take_;
  std::string pending_;
};

// Terminates a child politely, then not.
class Stopper {
 public:
  explicit Stopper(pid_t pid) : pid_(pid) {}
  void stop() {
    const int64_t now = monotonic_ns();
    if (stopped_at_ == 0) {
      stopped_at_ = now;
      (void)::kill(pid_, SIGTERM);  // it is there: nobody else waits for it
      (void)::kill(pid_, SIGCONT);  // one that is stopped cannot heed it
    } else if (now - stopped_at_ > kGraceNs) {
      (void)::kill(pid_, SIGKILL);  // as above
    }
  }

 private:
  pid_t pid_;
  int64_t stopped_at_ = 0;
};

// Readable when the child has ended; -1 on kernels before 5.3.
class ChildEnd {
 public:
  explicit ChildEnd(pid_t pid) : fd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}
  ~ChildEnd() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }
  ChildEnd(const ChildEnd&) = delete;
  ChildEnd& operator=(const ChildEnd&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

struct Reading {
  int64_t deadline_ns = INT64_MAX;
};

// How long to wait at most. While a child measures, its parent must not wake: each time costs the child a processor.
int poll_ms(bool ended, bool stopping, bool end_is_seen, const Reading& reading) {
  constexpr int kAgainMs = 100;
  if (ended) {
    return 0;
  }
  if (stopping || !end_is_seen) {
    return kAgainMs;
  }
  if (reading.deadline_ns == INT64_MAX) {
    return -1;
  }
  return static_cast<int>(std::clamp<int64_t>((reading.deadline_ns - monotonic_ns()) / 1'000'000 + 1, 0, INT32_MAX));
}

Result<ProcessEnd> spawn_and_read(const ProcessOptions& options, const Reading& reading) {
  Pipe out, error;
  if (!out.open() || !error.open()) {
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
    become(options, arguments.data(), out.ends[1], error.ends[1], parent);
  }
  out.close_end(1);
  error.close_end(1);
  if (options.on_start) {
    options.on_start(pid);
  }
  ProcessEnd end;
  LineSplitter lines(options.on_line);
  Stopper stopper(pid);
  const ChildEnd child_end(pid);
  std::array<pollfd, 5> polled{pollfd{out.ends[0], POLLIN, 0}, pollfd{error.ends[0], POLLIN, 0},
                               pollfd{child_end.fd(), POLLIN, 0}, pollfd{interrupted_fd(), POLLIN, 0},
                               pollfd{options.stop_fd, POLLIN, 0}};
  int status = 0;
  bool ended = false;
  bool stopped = false;
  while (true) {
    const bool late = monotonic_ns() > reading.deadline_ns;
    stopped = stopped || (polled[4].revents & POLLIN) != 0;
    const bool stopping = interrupted() || late || stopped;
    if (stopping) {
      stopper.stop();
      polled[3].fd = polled[4].fd = -1;
    }
    const pid_t waited = ended ? 0 : ::waitpid(pid, &status, WNOHANG);
    if (waited < 0 && errno != EINTR) {
      return limit_error("wait for a process", errno);
    }
    ended = ended || waited == pid;
    polled[2].fd = ended ? -1 : child_end.fd();
    const int ready = ::poll(polled.data(), polled.size(), poll_ms(ended, stopping, child_end.fd() >= 0, reading));
    if (ready < 0 && errno != EINTR) {
      return limit_error("wait for a process", errno);
    }
    // Its own children may hold the pipes open after its end: what is in them then is all that counts.
    if (ended && (ready <= 0 || late)) {
      break;
    }
    for (size_t i = 0; i < 2 && ready > 0; ++i) {
      if (polled[i].fd < 0 || polled[i].revents == 0) {
        continue;
      }
      std::array<char, 4096> buffer;
      const ssize_t got = ::read(polled[i].fd, buffer.data(), buffer.size());
      if (got <= 0) {
        polled[i].fd = -1;
        continue;
      }
      const std::string_view text(buffer.data(), static_cast<size_t>(got));
      if (i == 0) {
        lines.add(text);
      } else {
        end.error_text += text;
        if (end.error_text.size() > kErrorTextLimit) {
          end.error_text.erase(0, end.error_text.size() - kErrorTextLimit);
        }
      }
    }
  }
  lines.finish();
  if (WIFEXITED(status)) {
    end.exit_code = WEXITSTATUS(status);
  } else {
    end.signal = WTERMSIG(status);
  }
  return end;
}

}  // namespace

Result<ProcessEnd> run_process(const ProcessOptions& options) { return spawn_and_read(options, {}); }

Result<std::vector<std::string>> lines_of(const std::vector<std::string>& arguments, int timeout_ms) {
  constexpr size_t kMostLines = 4096;
  std::vector<std::string> lines;
  ProcessOptions options;
  options.arguments = arguments;
  options.on_line = [&](std::string_view line) {
    if (lines.size() < kMostLines) {
      lines.emplace_back(line);
    }
  };
  AACO_ASSIGN(const ProcessEnd end, spawn_and_read(options, {monotonic_ns() + int64_t{timeout_ms} * 1'000'000}));
  if (end.exit_code != 0) {
    return Error{ErrorKind::kUnavailable, arguments[0] + ": did not run", "install it, or put it on the PATH"};
  }
  return lines;
}

Result<std::string> first_line_of(const std::vector<std::string>& arguments, int timeout_ms) {
  AACO_ASSIGN(const std::vector<std::string> lines, lines_of(arguments, timeout_ms));
  for (const std::string& line : lines) {
    if (!line.empty()) {
      return line;
    }
  }
  return std::string();
}

}  // namespace aaco
