// SPDX-License-Identifier: MIT
// One process and all its threads, from /proc/<pid>. Counters of threads are followed one by one: a thread that ends
// takes away nothing that was counted before, and one that starts between two samples counts from zero. What a thread
// did after its last sample before it ended is not seen.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "observe/telemetry/proc_file.h"
#include "record/rows.h"

namespace aaco {

class ProcessWatch {
 public:
  ProcessWatch(const std::filesystem::path& root, int64_t pid);
  ProcessWatch(ProcessWatch&& other) noexcept;
  ProcessWatch& operator=(ProcessWatch&& other) noexcept;
  ~ProcessWatch();

  int64_t pid() const { return pid_; }
  // Fills the process columns of `row`, whose interval_ns is set; the first sample gives no deltas. False, and nothing
  // filled, when the process is no more.
  bool sample(SystemRow& row, ReadBuffer& buffer);

 private:
  // What one thread has used since it started; absent where the kernel does not tell.
  struct Counters {
    std::optional<int64_t> cpu_ns;
    std::optional<int64_t> run_delay_ns;
    std::optional<int64_t> voluntary;
    std::optional<int64_t> involuntary;
  };
  struct Thread {
    ProcFile schedstat;
    ProcFile status;
    Counters last;
    uint64_t seen_at = 0;
  };
  enum class ReadEnd { kRead, kGone, kUnreadable };

  bool list_threads();
  static ReadEnd read_thread(const Thread& thread, Counters& now, ReadBuffer& buffer);
  // Sums what each thread used since the previous sample.
  Counters sum_threads(ReadBuffer& buffer);

  int64_t pid_ = 0;
  int task_folder_ = -1;
  ProcFile stat_;
  std::map<int64_t, Thread> threads_;
  uint64_t samples_ = 0;
  bool unreadable_ = false;  // some living thread could not be read: the sums would be too small
  std::optional<int64_t> minor_faults_;
  std::optional<int64_t> major_faults_;
};

}  // namespace aaco
