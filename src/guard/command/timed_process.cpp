// SPDX-License-Identifier: MIT
#include "guard/command/timed_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/json/json.h"
#include "base/process/limit_error.h"
#include "base/text/characters.h"
#include "guard/command/cycle_counter.h"
#include "observe/cpu_quota.h"
#include "observe/host_files.h"

namespace aaco {

AACO_JSON_FIELDS(ProcessTimes, wall_ns, user_ns, system_ns, peak_bytes, minor_faults, major_faults,
                 involuntary_switches, cycles, others_share, quota_stopped_ns, heat_events)

namespace {

// Processor time is counted in ticks of 10 ms: of a shorter time no share can be told.
constexpr int64_t kLongEnoughNs = 200'000'000;
constexpr int kNoSuchProgram = 127;
constexpr int kEndMs = 1000;  // between SIGTERM and SIGKILL
constexpr size_t kErrorBytes = 4096;

int64_t ns_of(const timeval& time) { return (int64_t{time.tv_sec} * 1'000'000 + time.tv_usec) * 1000; }

// What the machine's counters stand at.
struct HostMoment {
  std::optional<ProcessorTimes> processors;
  QuotaFacts quota;
  int64_t heat_events = 0;
};

int64_t heat_events(const HostFiles& host) {
  int64_t events = 0;
  for (const std::string& name : host.names("sys/devices/system/cpu")) {
    events += host.number("sys/devices/system/cpu/" + name + "/thermal_throttle/core_throttle_count").value_or(0);
  }
  return events;
}

HostMoment host_moment() {
  const HostFiles host;
  return {processor_times(host, {}), read_quota(host), heat_events(host)};
}

void add_host_facts(const HostMoment& before, const HostMoment& after, ProcessTimes& times) {
  if (before.processors && after.processors) {
    const ProcessorTimes& a = *before.processors;
    ProcessorTimes b = *after.processors;
    b.own_ns += times.user_ns + times.system_ns;
    if (b.at_ns - a.at_ns >= kLongEnoughNs) {
      times.others_share = share_of_others(a, b);
    }
  }
  const QuotaFacts quota = quota_between(before.quota, after.quota);
  for (const QuotaGroup& group : quota.groups) {
    times.quota_stopped_ns = std::max(times.quota_stopped_ns, group.throttled_ns);
  }
  times.heat_events = std::max<int64_t>(0, after.heat_events - before.heat_events);
}

// In the child: waits until the parent has attached the counter, then becomes the command.
[[noreturn]] void become(char* const* arguments, int start, int errors) {
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);  // cannot fail with a signal
  sigset_t none;
  (void)::sigemptyset(&none);
  (void)::pthread_sigmask(SIG_SETMASK, &none, nullptr);  // cannot fail with such a set
  (void)::signal(SIGPIPE, SIG_DFL);
  const int null = ::open("/dev/null", O_RDWR);
  if (null >= 0) {                      // else it has aaco's, which changes no time
    (void)::dup2(null, STDIN_FILENO);   // cannot fail: both are open
    (void)::dup2(null, STDOUT_FILENO);  // likewise
  }
  (void)::dup2(errors, STDERR_FILENO);  // cannot fail: both are open
  char go = 0;
  if (::read(start, &go, 1) == 1) {
    ::execvp(arguments[0], arguments);
    ::dprintf(STDERR_FILENO, "%s", std::strerror(errno));
  }
  ::_exit(kNoSuchProgram);
}

// Until it has ended; an interrupt of aaco ends it.
void await_end(pid_t process) {
  const int end = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
  if (end < 0) {
    return;  // a kernel before 5.3: wait4 alone waits
  }
  std::array<pollfd, 2> waited{pollfd{end, POLLIN, 0}, pollfd{interrupted_fd(), POLLIN, 0}};
  while (::poll(waited.data(), waited.size(), -1) < 0 && errno == EINTR) {
  }
  if ((waited[0].revents & POLLIN) == 0) {
    (void)::kill(process, SIGTERM);  // it is there: nobody else waits for it
    if (::poll(waited.data(), 1, kEndMs) == 0) {
      (void)::kill(process, SIGKILL);  // as above
    }
  }
  ::close(end);
}

std::string last_error_line(int errors) {
  const off_t bytes = ::lseek(errors, 0, SEEK_END);
  std::string text(std::min(static_cast<size_t>(std::max<off_t>(bytes, 0)), kErrorBytes), '\0');
  const ssize_t got = ::pread(errors, text.data(), text.size(), bytes - static_cast<off_t>(text.size()));
  text.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  text.resize(text.find_last_not_of(" \n\r\t") + 1);
  const size_t line = text.rfind('\n');
  return shorten(printable(line == std::string::npos ? text : text.substr(line + 1)), 200);
}

Result<void> expect_success(const std::vector<std::string>& arguments, int status, int errors) {
  if (interrupted()) {
    return Error{ErrorKind::kInterrupted, "interrupted", ""};
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    return {};
  }
  const std::string said = last_error_line(errors);
  const std::string how = WIFSIGNALED(status) ? fmt::format("was ended by signal {}", WTERMSIG(status))
                                              : fmt::format("ended with exit code {}", WEXITSTATUS(status));
  return Error{ErrorKind::kUsage,
               fmt::format("{} {}{}{}", printable(arguments.front()), how, said.empty() ? "" : ": ", said),
               "the times of a command that fails say nothing: run it by itself first; its own flags come behind --"};
}

// Closed at the end of its scope.
struct Descriptor {
  int number = -1;
  explicit Descriptor(int descriptor) : number(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number >= 0) {
      ::close(number);
    }
  }
};

}  // namespace

Result<ProcessTimes> time_process(const std::vector<std::string>& arguments) {
  if (interrupted()) {
    return Error{ErrorKind::kInterrupted, "interrupted", ""};
  }
  const Descriptor errors(::memfd_create("aaco-errors", MFD_CLOEXEC));
  std::array<int, 2> start{-1, -1};
  if (errors.number < 0 || ::pipe2(start.data(), O_CLOEXEC) != 0) {
    return limit_error("make a pipe", errno);
  }
  const Descriptor start_read(start[0]);
  const Descriptor start_write(start[1]);
  std::vector<char*> words(arguments.size() + 1, nullptr);
  std::ranges::transform(arguments, words.begin(),
                         [](const std::string& argument) { return const_cast<char*>(argument.c_str()); });
  const HostMoment before = host_moment();
  const pid_t process = ::fork();
  if (process == 0) {
    become(words.data(), start_read.number, errors.number);
  }
  if (process < 0) {
    return limit_error("start a process", errno);
  }
  const CycleCounter counter(process);
  const int64_t start_ns = monotonic_ns();
  (void)!::write(start_write.number, "g", 1);  // a child that is gone shows in its status
  await_end(process);
  int status = 0;
  rusage usage{};
  while (::wait4(process, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  ProcessTimes times;
  times.wall_ns = monotonic_ns() - start_ns;
  AACO_TRY(expect_success(arguments, status, errors.number));
  times.user_ns = ns_of(usage.ru_utime);
  times.system_ns = ns_of(usage.ru_stime);
  times.peak_bytes = int64_t{usage.ru_maxrss} * 1024;
  times.minor_faults = usage.ru_minflt;
  times.major_faults = usage.ru_majflt;
  times.involuntary_switches = usage.ru_nivcsw;
  times.cycles = counter.cycles();
  add_host_facts(before, host_moment(), times);
  return times;
}

std::optional<double> others_share_since(const std::optional<ProcessorTimes>& start,
                                         const std::vector<ProcessTimes>& processes) {
  std::optional<ProcessorTimes> now = processor_times(HostFiles(), {});
  if (!now || !start || now->at_ns - start->at_ns < kLongEnoughNs) {
    return std::nullopt;
  }
  for (const ProcessTimes& process : processes) {
    now->own_ns += process.user_ns + process.system_ns;
  }
  return share_of_others(*start, *now);
}

}  // namespace aaco
