// SPDX-License-Identifier: MIT
#include "observe/kernel/bpf/launch_probes.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/attach/process_maps.h"

namespace aaco {

namespace {

constexpr int64_t kLongestPauseNs = 1'000'000'000;

struct LaunchFunction {
  const char* library;  // how its file's name starts
  const char* function;
  const char* start;  // programs
  const char* end;
};
constexpr std::array kFunctions{
    LaunchFunction{"libcudart.so", "cudaLaunchKernel", "on_cuda_launch", "on_cuda_launch_end"},
    LaunchFunction{"libamdhip64.so", "hipLaunchKernel", "on_hip_launch", "on_hip_launch_end"}};

}  // namespace

void LaunchProbes::look(int64_t now_ns) {
  std::map<int, Schedule> alive;
  for (const int process : programs_.observed_processes()) {
    Schedule schedule = schedules_[process];
    if (schedule.next_ns <= now_ns) {
      look_at(process);
      schedule.next_ns = now_ns + schedule.pause_ns;
      schedule.pause_ns = std::min(2 * schedule.pause_ns, kLongestPauseNs);
    }
    alive[process] = schedule;
  }
  schedules_ = std::move(alive);
}

void LaunchProbes::look_at(int process) {
  const std::vector<Mapping> maps = parse_maps(read_proc_text(fmt::format("/proc/{}/maps", process)));
  for (size_t i = 0; i < kFunctions.size(); ++i) {
    if (const Mapping* mapping = mapping_of_file(maps, kFunctions[i].library)) {
      attach(process, mapping->path, i);
    }
  }
}

void LaunchProbes::attach(int process, const std::string& path, size_t library) {
  const LaunchFunction& probed = kFunctions[library];
  const std::string file = fmt::format("/proc/{}/root{}", process, path);  // as that process sees it
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0 || !files_.insert({status.st_dev, status.st_ino}).second) {
    return;
  }
  // The end first: a call whose start alone is probed would leave its start behind.
  for (const bool returns : {true, false}) {
    const Result<void> attached = programs_.probe(returns ? probed.end : probed.start, file, probed.function, returns);
    if (!attached) {
      refusals_.push_back(fmt::format("calls of {}: {}", probed.function, attached.error().message));
      return;
    }
  }
  ++attached_;
}

}  // namespace aaco
