// SPDX-License-Identifier: MIT
#include "base/process/group_witness.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <fmt/format.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/process/limit_error.h"

namespace aaco {

namespace {

[[noreturn]] void sleep_until_killed(pid_t parent) {
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);  // cannot fail with a signal
  if (::getppid() != parent) {               // it ended before that
    ::_exit(0);
  }
  (void)::prctl(PR_SET_NAME, "aaco-witness");  // for whoever lists processes
  (void)::close_range(0, ~0U, 0);              // else a pipe that aaco closes would stay open
  for (;;) {
    ::pause();
  }
}

}  // namespace

Result<GroupWitness> GroupWitness::start() {
  sigset_t all;
  sigset_t before;
  (void)::sigfillset(&all);
  (void)::pthread_sigmask(SIG_SETMASK, &all, &before);  // cannot fail with such a set
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    sleep_until_killed(parent);
  }
  const int failed = errno;
  (void)::pthread_sigmask(SIG_SETMASK, &before, nullptr);  // likewise
  return pid > 0 ? Result<GroupWitness>(GroupWitness(pid)) : limit_error("start a process", failed);
}

GroupWitness::~GroupWitness() {
  if (pid_ > 0) {
    (void)::kill(pid_, SIGKILL);        // it is there: nobody else waits for it
    (void)::waitpid(pid_, nullptr, 0);  // likewise
  }
}

bool GroupWitness::has_seen(int number) const {
  constexpr std::string_view kPending = "ShdPnd:\t";
  const Result<std::string> status = read_file(fmt::format("/proc/{}/status", pid_));
  const size_t at = status ? status->find(kPending) : std::string::npos;
  uint64_t pending = 0;
  if (at != std::string::npos) {
    const char* first = status->data() + at + kPending.size();
    (void)std::from_chars(first, status->data() + status->size(), pending, 16);  // else it stays 0
  }
  return (pending >> (number - 1) & 1) != 0;
}

}  // namespace aaco
