// SPDX-License-Identifier: MIT
#include "base/confined/limited_child.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <poll.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/interrupt.h"
#include "base/process/limit_error.h"

namespace aaco {

namespace {

constexpr int64_t kGraceNs = 1'000'000'000;
constexpr int kLookMs = 50;

Result<void> bound_this_process(uint64_t memory_bytes, pid_t parent) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
    return limit_error("bind a process to this one", errno);
  }
  if (::getppid() != parent) {
    ::_exit(static_cast<int>(ErrorKind::kInterrupted));
  }
  ::signal(SIGINT, SIG_IGN);  // the terminal tells the whole group; the parent decides
  // Private memory that can be written, which is what allocations are: not the address space, since DuckDB reserves far
  // more of that than it uses.
  const rlimit limit{memory_bytes, memory_bytes};
  return ::setrlimit(RLIMIT_DATA, &limit) == 0 ? Result<void>() : limit_error("limit the memory", errno);
}

// Resident, without the pages of files. None where the kernel does not tell.
std::optional<uint64_t> held_bytes(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/statm", pid));
  uint64_t size = 0, resident = 0, of_files = 0;
  if (!(file >> size >> resident >> of_files) || of_files > resident) {
    return std::nullopt;
  }
  return (resident - of_files) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

Error too_much(uint64_t memory_bytes) {
  return {ErrorKind::kResource, fmt::format("needs more than {} MiB of memory", memory_bytes >> 20),
          "ask for less at a time"};
}

Error too_long(int64_t time_ns) {
  return {ErrorKind::kResource, fmt::format("took longer than {}", format_duration_ns(static_cast<double>(time_ns))),
          "ask for less at a time, or give it more time"};
}

Result<std::optional<int>> end_of(int status) {
  if (WIFEXITED(status)) {
    return std::optional<int>(WEXITSTATUS(status));
  }
  return Error{ErrorKind::kResource,
               fmt::format("ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status))),
               "ask for less at a time"};
}

Result<std::optional<int>> wait_for(pid_t child, uint64_t memory_bytes, std::optional<int64_t> time_ns) {
  const int64_t start_ns = monotonic_ns();
  const int end_fd = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));  // -1 on kernels before 5.3
  std::optional<Error> reason;
  int64_t told_at_ns = 0;
  int status = 0;
  for (pid_t waited = 0; (waited = ::waitpid(child, &status, WNOHANG)) != child;) {
    if (waited < 0 && errno != EINTR) {
      return limit_error("wait for a process", errno);
    }
    std::array<pollfd, 2> files{{{end_fd, POLLIN, 0}, {told_at_ns == 0 ? interrupted_fd() : -1, POLLIN, 0}}};
    if (::poll(files.data(), files.size(), kLookMs) < 0 && errno != EINTR) {
      return limit_error("wait for a process", errno);
    }
    if (const auto held = held_bytes(child); held && *held > memory_bytes && !reason) {
      reason = too_much(memory_bytes);
      (void)::kill(child, SIGKILL);  // it is there: nobody else waits for it
    }
    if (time_ns && monotonic_ns() - start_ns > *time_ns && !reason) {
      reason = too_long(*time_ns);
      (void)::kill(child, SIGKILL);  // as above
    }
    if (interrupted() && told_at_ns == 0) {
      reason = Error{ErrorKind::kInterrupted, "interrupted", ""};
      told_at_ns = monotonic_ns();
      (void)::kill(child, SIGTERM);  // as above
    } else if (told_at_ns != 0 && monotonic_ns() - told_at_ns > kGraceNs) {
      (void)::kill(child, SIGKILL);  // it is there: nobody else waits for it
    }
  }
  if (end_fd >= 0) {
    ::close(end_fd);
  }
  return reason && !(WIFEXITED(status) && WEXITSTATUS(status) == reason->exit_code())
             ? Result<std::optional<int>>(*reason)
             : end_of(status);
}

}  // namespace

Result<std::optional<int>> continue_in_limited_child(uint64_t memory_bytes, std::optional<int64_t> time_ns) {
  std::fflush(nullptr);  // else both would write it
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    return limit_error("start a process", errno);
  }
  if (child == 0) {
    AACO_TRY(bound_this_process(memory_bytes, parent));
    return std::optional<int>();
  }
  return wait_for(child, memory_bytes, time_ns);
}

}  // namespace aaco
