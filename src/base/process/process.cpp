// SPDX-License-Identifier: MIT
#include "base/process/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/process/limit_error.h"
#include "base/process/started_child.h"

namespace aaco {

namespace {

constexpr size_t kErrorTextLimit = size_t{64} << 10;
constexpr int64_t kGraceNs = 1'000'000'000;

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
  AACO_ASSIGN(const StartedChild child, StartedChild::start(options));
  const pid_t pid = child.pid();
  if (options.on_start) {
    options.on_start(pid);
  }
  ProcessEnd end;
  LineSplitter lines(options.on_line);
  Stopper stopper(pid);
  std::array<pollfd, 5> polled{pollfd{child.output(), POLLIN, 0}, pollfd{child.errors(), POLLIN, 0},
                               pollfd{child.end(), POLLIN, 0}, pollfd{interrupted_fd(), POLLIN, 0},
                               pollfd{options.stop_fd, POLLIN, 0}};
  int status = 0;
  bool ended = false;
  bool stopped = false;
  if (options.cleans_up) {
    polled[3].fd = -1;
  }
  while (true) {
    const bool late = monotonic_ns() > reading.deadline_ns;
    stopped = stopped || (polled[4].revents & POLLIN) != 0;
    const bool stopping = (interrupted() && !options.cleans_up) || late || stopped;
    if (stopping) {
      stopper.stop();
      polled[3].fd = polled[4].fd = -1;
    }
    const pid_t waited = ended ? 0 : ::waitpid(pid, &status, WNOHANG);
    if (waited < 0 && errno != EINTR) {
      return limit_error("wait for a process", errno);
    }
    ended = ended || waited == pid;
    polled[2].fd = ended ? -1 : child.end();
    const int ready = ::poll(polled.data(), polled.size(), poll_ms(ended, stopping, child.end() >= 0, reading));
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
