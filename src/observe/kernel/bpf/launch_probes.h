// SPDX-License-Identifier: MIT
// Probes on the functions of a vendor's library that start work of a device: attached to each such library that an
// observed process has loaded. A look costs the reading of /proc/PID/maps, so that a process is looked at ever more
// rarely: calls before the look that finds its library are not seen.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "observe/kernel/bpf/kernel_programs.h"

namespace aaco {

class LaunchProbes {
 public:
  explicit LaunchProbes(KernelPrograms& programs) : programs_(programs) {}

  void look(int64_t now_ns);
  int64_t attached() const { return attached_; }  // libraries
  const std::vector<std::string>& refusals() const { return refusals_; }

 private:
  struct Schedule {
    int64_t next_ns = 0;
    int64_t pause_ns = 20'000'000;
  };
  void look_at(int process);
  void attach(int process, const std::string& path, size_t library);

  KernelPrograms& programs_;
  std::map<int, Schedule> schedules_;
  std::set<std::pair<uint64_t, uint64_t>> files_;  // by device and inode: each is probed once, for all processes
  int64_t attached_ = 0;
  std::vector<std::string> refusals_;
};

}  // namespace aaco
