// SPDX-License-Identifier: MIT
#include "observe/kernel/proc/proc_source.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unistd.h>

#include "base/clock.h"
#include "observe/processes/process_tree.h"

namespace aaco {

namespace {

class ProcSource final : public KernelSource {
 public:
  void observe(int64_t pid) override {
    if (pid != measured_) {
      measured_ = pid;
      measured_tree_.emplace(pid, true);
    }
  }

  void drain(KernelRows& /*rows*/) override {
    children_.look(monotonic_ns());
    if (measured_tree_) {
      measured_tree_->look(monotonic_ns());
    }
  }

  void end(KernelRows& /*rows*/) override {}

  PlaneSource facts() const override {
    PlaneSource source;
    source.name = "procfs";
    source.not_seen =
        "single spans and events: only counts, of threads that two samples saw, up to the last sample that did";
    Counts counts;
    if (measured_tree_) {
      counts.add(measured_tree_->use());  // first: it was looked at from its start
    }
    counts.add(children_.use());
    source.figures = counts.figures;
    return source;
  }

 private:
  struct Counts {
    std::map<std::string, int64_t> figures;
    std::set<int64_t> processes{::getpid()};  // aaco itself is not counted

    // Processes that are counted already are left out.
    void add(const HostUse& use) {
      const std::set<int64_t> known = processes;
      figures["samples"] += use.samples;
      for (const ThreadUse& thread : use.threads) {
        if (!known.contains(thread.pid)) {
          add("voluntary_switches", thread.voluntary);
          add("involuntary_switches", thread.involuntary);
          add("run_queue_ns", thread.runnable_ns);
        }
      }
      for (const ProcessUse& process : use.processes) {
        if (processes.insert(process.pid).second) {
          add("page_faults", process.minor_faults);
          add("page_faults", process.major_faults);
        }
      }
    }
    void add(const char* figure, std::optional<int64_t> count) {
      if (count) {
        figures[figure] += *count;
      }
    }
  };

  ProcessTree children_{::getpid(), true};
  int64_t measured_ = 0;
  std::optional<ProcessTree> measured_tree_;
};

}  // namespace

std::unique_ptr<KernelSource> open_proc_source() { return std::make_unique<ProcSource>(); }

}  // namespace aaco
