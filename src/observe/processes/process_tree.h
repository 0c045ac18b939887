// SPDX-License-Identifier: MIT
// What a program's processes and threads took of the host, sampled from /proc: processor time, time in which a thread
// could have run and did not, context switches, page faults, memory, bytes read and written.
//
// A thread that starts and ends between two samples is not in the list, nor is what a thread did after its last one;
// the processor time of the whole program holds both, since the kernel adds them to its process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace aaco {

// From the first to the last sample of the thread; of one that started meanwhile, from the last look that did not see
// it. What the kernel does not tell is null.
struct ThreadUse {
  int64_t pid = 0;
  int64_t tid = 0;
  std::string name;
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  std::optional<int64_t> run_ns;       // on a processor
  std::optional<int64_t> runnable_ns;  // ready, and waiting for a processor
  std::optional<int64_t> voluntary;    // context switches, since it waited for something
  std::optional<int64_t> involuntary;  // since another thread got the processor

  bool is_main() const { return pid == tid; }
  int64_t seen_ns() const { return to_ns - from_ns; }
};

struct ProcessUse {
  int64_t pid = 0;
  int64_t parent_pid = 0;
  std::string name;
  std::optional<int64_t> minor_faults;  // as above
  std::optional<int64_t> major_faults;
  std::optional<int64_t> peak_bytes;  // resident memory, since the process started
  std::optional<int64_t> read_bytes;  // of storage
  std::optional<int64_t> written_bytes;
};

struct HostUse {
  int64_t period_ns = 0;
  int64_t samples = 0;
  int64_t cost_ns = 0;                // of taking them
  std::optional<int64_t> processors;  // that the program may run on
  // Quota over period of its control groups; null: no limit, or not known. No sample tells it: whoever started the
  // program knows its groups.
  std::optional<double> quota_processors;
  // Of the program from its first to its last sample: all its threads, the children that it waited for meanwhile, and
  // where children are watched also those that still run.
  std::optional<int64_t> busy_ns;
  int64_t seen_ns = 0;
  std::vector<ProcessUse> processes;  // by pid
  std::vector<ThreadUse> threads;     // those that ran longest first
};

class ProcessTree {
 public:
  static constexpr int64_t kPeriodNs = 100'000'000;

  // `with_children`: all that descend from it too.
  ProcessTree(int64_t pid, bool with_children, std::filesystem::path proc = "/proc");

  // Samples where the period is over. Samples take at most a hundredth of a processor: else they are taken less often.
  void look(int64_t now_ns);
  HostUse use() const;

 private:
  struct ThreadWatch {
    ThreadUse first;  // its counters
    ThreadUse last;
  };
  struct ProcessPair {
    ProcessUse first;
    ProcessUse last;
    int64_t sampled_ns = 0;
    bool has_span = false;           // from one sample to another, or since it started
    std::optional<int64_t> busy_ns;  // at its last sample: all its threads, and the children that it waited for
    int64_t busy_before_ns = 0;      // of which before it was watched
  };
  struct BusyTime {
    int64_t from_ns = 0;
    int64_t to_ns = 0;
    int64_t busy_ns = 0;
  };

  void sample(int64_t now_ns);
  void sum_busy_times(int64_t now_ns);
  void find_children();
  void sample_process(int64_t pid, int64_t now_ns);
  void sample_threads(int64_t pid, int64_t now_ns, std::optional<int64_t> unseen_at_ns);

  int64_t root_;
  bool with_children_;
  std::filesystem::path proc_;
  int64_t period_ns_ = kPeriodNs;
  int64_t next_ns_ = 0;
  int64_t next_children_ns_ = 0;
  int64_t samples_ = 0;
  int64_t cost_ns_ = 0;
  std::optional<int64_t> processors_;
  std::optional<BusyTime> busy_;  // from the program's first to its last sample
  int64_t lost_ns_ = 0;           // of processes that nobody waited for: in no times of the kernel any more
  bool fell_ = false;             // the sum, at the last sample
  std::optional<int64_t> looked_for_children_ns_;
  std::vector<int64_t> pids_;
  std::map<int64_t, int64_t> unseen_at_ns_;  // of children: the look before that which found them
  std::map<int64_t, ProcessPair> processes_;
  std::map<std::pair<int64_t, int64_t>, ThreadWatch> threads_;  // by pid and tid
};

}  // namespace aaco
