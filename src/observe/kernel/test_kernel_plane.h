// SPDX-License-Identifier: MIT
// For tests: a program is observed, and says itself what it did. Known answers: programs that sleep, fault, migrate,
// are preempted and wake each other a known number of times. What the kernel counts for them itself (/proc/self/status)
// is held against the rows.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/clock.h"
#include "base/test_sanitizer.h"
#include "base/test_skip.h"
#include "observe/kernel/kernel_collector.h"
#include "record/host/host_event_row.h"
#include "record/host/off_cpu_row.h"
#include "record/host/stack_row.h"

namespace aaco {

// What a child says of its own work: the span, and the kernel's own counts over it.
struct Answer {
  std::atomic<int64_t> from_ns, to_ns;
  std::atomic<int64_t> voluntary, involuntary;
  std::atomic<int64_t> first, second;  // as the work likes
};

struct AnswerPage {
  Answer* answer =
      static_cast<Answer*>(::mmap(nullptr, sizeof(Answer), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  AnswerPage() = default;
  AnswerPage(const AnswerPage&) = delete;
  AnswerPage& operator=(const AnswerPage&) = delete;
  ~AnswerPage() { ::munmap(answer, sizeof(Answer)); }
};

inline int64_t own_count(const char* key) {
  std::ifstream status("/proc/thread-self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) {
      return std::stoll(line.substr(std::string(key).size()));
    }
  }
  return -1;
}

inline void pin(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<size_t>(processor), &set);
  ::sched_setaffinity(0, sizeof(set), &set);
}

inline std::vector<int> processors() {
  cpu_set_t set;
  ::sched_getaffinity(0, sizeof(set), &set);
  std::vector<int> list;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(static_cast<size_t>(i), &set)) {
      list.push_back(i);
    }
  }
  return list;
}

// Containers and users without the right are refused a class above ordinary work.
inline bool may_run_first() {
  const sched_param first{1};
  const sched_param ordinary{0};
  return ::sched_setscheduler(0, SCHED_FIFO, &first) == 0 && ::sched_setscheduler(0, SCHED_OTHER, &ordinary) == 0;
}
constexpr const char* kNotFirst = "the kernel refuses SCHED_FIFO here";

// Above all ordinary work of the machine, so that only the test's own programs take the processor.
inline void run_first(int priority) {
  const sched_param parameter{priority};
  EXPECT_EQ(::sched_setscheduler(0, SCHED_FIFO, &parameter), 0);
}

// The kernel counts from a little before the span until a little after: kEdges switches may lie there.
constexpr int64_t kEdges = 2;
inline void measure(Answer& answer, const std::function<void()>& work) {
  answer.voluntary = -own_count("voluntary_ctxt_switches:");
  answer.involuntary = -own_count("nonvoluntary_ctxt_switches:");
  answer.from_ns = monotonic_ns();
  work();
  answer.to_ns = monotonic_ns();
  answer.voluntary += own_count("voluntary_ctxt_switches:");
  answer.involuntary += own_count("nonvoluntary_ctxt_switches:");
}

class KernelPlane : public testing::Test {
 protected:
  void SetUp() override { start("ebpf"); }

  void start(const char* source) {
    CollectorOptions options;
    options.kernel_source = source;
    options.measured_pid = &measured_pid_;
    options.sinks.set<OffCpuRow>(
        [this](std::span<const OffCpuRow> rows) { spans_.insert(spans_.end(), rows.begin(), rows.end()); });
    options.sinks.set<StackRow>([this](std::span<const StackRow> rows) {
      for (const StackRow& row : rows) {
        stacks_[row.stack] = row;
      }
    });
    options.sinks.set<HostEventRow>(
        [this](std::span<const HostEventRow> rows) { events_.insert(events_.end(), rows.begin(), rows.end()); });
    auto collector = kernel_collector().make(options);
    ASSERT_TRUE(collector);
    collector_ = std::move(*collector);
    if (const Result<void> started = collector_->start(); !started) {
      AACO_SKIP(std::string("no ") + source + " here: " + started.error().message);
    }
  }

  // The processes do their work, all at once, and end.
  std::vector<int64_t> run(const std::vector<std::function<void()>>& works) {
    std::vector<int64_t> pids;
    for (const auto& work : works) {
      const pid_t child = ::fork();
      if (child == 0) {
        work();
        ::_exit(0);
      }
      pids.push_back(child);
      measured_pid_ = pids.front();
    }
    for (const int64_t pid : pids) {
      int status = 0;
      EXPECT_EQ(::waitpid(static_cast<pid_t>(pid), &status, 0), pid);
      EXPECT_EQ(status, 0);
    }
    collector_->stop();
    return pids;
  }

  // Spans that have no row: a kernel may hide the switches of some threads, as that of a sandbox does of its agent's,
  // and what came after those has no end then. The plane says how many.
  int64_t without_end() const { return collector_->plane().source->figures.at("spans_without_end"); }

  // Of a thread, those that start within the answer's span.
  std::vector<OffCpuRow> spans_of(int64_t thread, const Answer& answer) const {
    std::vector<OffCpuRow> some;
    std::copy_if(spans_.begin(), spans_.end(), std::back_inserter(some), [&](const OffCpuRow& row) {
      return row.thread_id == thread && row.t_start_ns >= answer.from_ns && row.t_start_ns <= answer.to_ns;
    });
    return some;
  }
  std::vector<HostEventRow> events_of(int64_t thread, HostEventKind kind) const {
    std::vector<HostEventRow> some;
    std::copy_if(events_.begin(), events_.end(), std::back_inserter(some),
                 [&](const HostEventRow& row) { return row.thread_id == thread && row.kind == kind; });
    return some;
  }

  std::atomic<int64_t> measured_pid_{0};
  std::unique_ptr<Collector> collector_;
  std::vector<OffCpuRow> spans_;
  std::vector<HostEventRow> events_;
  std::map<int64_t, StackRow> stacks_;
  AnswerPage shared_;
};

inline int64_t count(const std::vector<OffCpuRow>& spans, OffCpuReason reason) {
  return std::count_if(spans.begin(), spans.end(), [&](const OffCpuRow& row) { return row.reason == reason; });
}

}  // namespace aaco
