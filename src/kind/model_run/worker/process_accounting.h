// SPDX-License-Identifier: MIT
// What the kernel says about this process's own scheduling, from /proc/self.
#pragma once

#include <cstdint>
#include <optional>

namespace aaco {

struct ProcessAccounting {
  int64_t t_ns = 0;  // session time of the reading
  int64_t threads = 0;
  std::optional<int64_t> cpu_ns;        // processor time of all threads
  std::optional<int64_t> run_delay_ns;  // all threads: runnable but not running (schedstat)
  std::optional<int64_t> own_cpu_ns;    // of the calling thread
  std::optional<int64_t> own_run_delay_ns;
  int64_t voluntary_switches = 0;  // whole process
  int64_t involuntary_switches = 0;
};

// Of the calling process, now. A figure that /proc does not tell is none; one that a thread that has ended took with it
// is missing from the sums.
ProcessAccounting read_process_accounting();

}  // namespace aaco
