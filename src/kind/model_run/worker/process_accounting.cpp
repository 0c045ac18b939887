// SPDX-License-Identifier: MIT
#include "kind/model_run/worker/process_accounting.h"

#include <filesystem>
#include <fstream>
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

}  // namespace aaco
