// SPDX-License-Identifier: MIT
#include "observe/telemetry/other_load.h"

#include <algorithm>
#include <cctype>
#include <ctime>
#include <string>
#include <unistd.h>

#include "base/clock.h"
#include "observe/telemetry/proc_file.h"

namespace aaco {

namespace {

// The processors that have a line "cpuN ...".
std::vector<int> listed_processors(std::string_view stat) {
  std::vector<int> processors;
  for (const std::string_view line : split(stat, '\n')) {
    if (line.starts_with("cpu") && line.size() > 3 && std::isdigit(static_cast<unsigned char>(line[3])) != 0) {
      if (const auto number = NumberReader(line.substr(3)).integer()) {
        processors.push_back(static_cast<int>(*number));
      }
    }
  }
  return processors;
}

}  // namespace

std::optional<ProcessorTimes> processor_times(const HostFiles& host, const std::vector<int>& processors) {
  timespec own{};
  const long ticks_per_s = ::sysconf(_SC_CLK_TCK);
  const std::optional<std::string> stat = host.text("proc/stat");
  if (!stat || ticks_per_s <= 0 || ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own) != 0) {
    return std::nullopt;
  }
  ProcessorTimes times;
  times.at_ns = monotonic_ns();
  times.own_ns = int64_t{own.tv_sec} * 1'000'000'000 + own.tv_nsec;
  for (const int processor : processors.empty() ? listed_processors(*stat) : processors) {
    const auto columns = after_key(*stat, "cpu" + std::to_string(processor) + " ");
    const auto ticks = columns ? processor_ticks(*columns) : std::nullopt;
    if (!ticks) {
      return std::nullopt;
    }
    times.busy_ns += (ticks->all - ticks->idle) * (1'000'000'000 / ticks_per_s);
    ++times.processors;
  }
  return times;
}

double share_of_others(const ProcessorTimes& before, const ProcessorTimes& after) {
  const double available = static_cast<double>(after.at_ns - before.at_ns) * static_cast<double>(after.processors);
  const auto others = static_cast<double>((after.busy_ns - before.busy_ns) - (after.own_ns - before.own_ns));
  return available > 0 ? std::clamp(others / available, 0.0, 1.0) : 0;
}

}  // namespace aaco
