// SPDX-License-Identifier: MIT
#include "experiment/process_accounting.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <string>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

namespace aaco {

namespace {

struct SchedStat {
  int64_t cpu_ns = 0;
  int64_t run_delay_ns = 0;
};

// "cpu_ns run_delay_ns timeslices" (Documentation/scheduler/sched-stats in the kernel's tree).
std::optional<SchedStat> read_schedstat(const std::filesystem::path& task) {
  std::ifstream file(task / "schedstat");
  SchedStat stat;
  return file >> stat.cpu_ns >> stat.run_delay_ns ? std::optional(stat) : std::nullopt;
}

}  // namespace

ProcessAccounting read_process_accounting() {
  ProcessAccounting accounting;
  const std::string own = std::to_string(::syscall(SYS_gettid));
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
    ++accounting.threads;
    const auto stat = read_schedstat(task.path());
    if (!stat) {
      continue;
    }
    accounting.cpu_ns = accounting.cpu_ns.value_or(0) + stat->cpu_ns;
    accounting.run_delay_ns = accounting.run_delay_ns.value_or(0) + stat->run_delay_ns;
    if (task.path().filename() == own) {
      accounting.own_cpu_ns = stat->cpu_ns;
      accounting.own_run_delay_ns = stat->run_delay_ns;
    }
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  accounting.voluntary_switches = usage.ru_nvcsw;
  accounting.involuntary_switches = usage.ru_nivcsw;
  accounting.t_ns = monotonic_ns();
  return accounting;
}

int64_t usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int64_t processors =
      ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : ::sysconf(_SC_NPROCESSORS_ONLN);
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  double quota = 0, period = 0;
  if (file >> quota >> period && period > 0) {  // "max 100000" does not parse as a number: no quota
    processors = std::min(processors, static_cast<int64_t>(std::ceil(quota / period)));
  }
  return std::max<int64_t>(processors, 1);
}

}  // namespace aaco
