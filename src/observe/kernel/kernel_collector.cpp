// SPDX-License-Identifier: MIT
#include "observe/kernel/kernel_collector.h"

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/process/thread_start.h"
#include "observe/kernel/bpf/bpf_source.h"
#include "observe/kernel/perf/perf_source.h"
#include "observe/kernel/proc/proc_source.h"

namespace aaco {

namespace {

constexpr const char* kPlane = "kernel_plane";
constexpr std::chrono::milliseconds kPeriod(20);

struct KernelRung {
  const char* name;
  Result<std::unique_ptr<KernelSource>> (*open)(const CollectorOptions& options);
};
// The best first.
constexpr std::array kRungs{
    KernelRung{"ebpf",
               [](const CollectorOptions& options) {
                 const char* const launches = std::getenv("AACO_LAUNCH_PROBES");
                 return open_bpf_source({options.stacks, launches != nullptr && std::string_view(launches) == "1"});
               }},
    KernelRung{"perf_event_open", [](const CollectorOptions&) { return open_perf_source(); }},
    KernelRung{"procfs",
               [](const CollectorOptions&) { return Result<std::unique_ptr<KernelSource>>(open_proc_source()); }}};

class KernelCollector final : public Collector {
 public:
  explicit KernelCollector(CollectorOptions options) : options_(std::move(options)), rows_(options_.sinks) {}
  ~KernelCollector() override { stop(); }

  bool pushes() const override { return true; }

  Result<void> start() override {
    AACO_TRY(open_source());
    facts_ = source_->facts();
    facts_.better = better_;
    AACO_ASSIGN(thread_, start_thread([this] { run(); }));
    return {};
  }

  void stop() override {
    if (!thread_.joinable()) {
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    wake_.notify_all();
    thread_.join();
    source_->end(rows_);
    facts_ = source_->facts();
    facts_.better = better_;
    facts_.figures.merge(rows_.counts());
    facts_.figures["reader_cpu_ns"] = cpu_ns_;
    source_.reset();
  }

  // While it pushes: the source that it took, without columns and counts.
  CollectorPlane plane() const override {
    return {kPlane, thread_.joinable() ? std::vector<PlaneColumn>() : rows_.columns(), facts_};
  }

 private:
  // The first rung of the ladder that holds.
  Result<void> open_source() {
    const std::string wanted = options_.kernel_source;
    for (const KernelRung& rung : kRungs) {
      if (!wanted.empty() && wanted != rung.name) {
        continue;
      }
      Result<std::unique_ptr<KernelSource>> opened = rung.open(options_);
      if (opened) {
        source_ = std::move(*opened);
        return {};
      }
      if (!wanted.empty()) {
        return opened.error();
      }
      better_ += fmt::format("{}{}: {}", better_.empty() ? "" : "; ", opened.error().message, opened.error().hint);
    }
    return Error{ErrorKind::kUnavailable, fmt::format("kernel plane: there is no source \"{}\"", wanted),
                 "AACO_KERNEL_PLANE is ebpf, perf_event_open or procfs"};
  }

  void run() {
    std::unique_lock lock(mutex_);
    bool last = false;
    while (!last) {
      last = wake_.wait_for(lock, kPeriod, [this] { return stopped_; });
      lock.unlock();
      const int64_t pid = options_.measured_pid == nullptr ? 0 : options_.measured_pid->load(std::memory_order_relaxed);
      if (pid > 0 && pid != observed_) {
        source_->observe(pid);
        observed_ = pid;
      }
      source_->drain(rows_);
      lock.lock();
    }
    timespec used{};
    if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) == 0) {
      cpu_ns_ = int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
    }
  }

  CollectorOptions options_;
  KernelRows rows_;
  std::unique_ptr<KernelSource> source_;
  PlaneSource facts_;
  std::string better_;  // why the sources before were not to be had, and how to get them
  int64_t observed_ = 0;
  int64_t cpu_ns_ = 0;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopped_ = false;
  std::thread thread_;
};

Result<std::unique_ptr<Collector>> make_kernel_collector(CollectorOptions options) {
  if (const char* wanted = std::getenv("AACO_KERNEL_PLANE"); wanted != nullptr && options.kernel_source.empty()) {
    options.kernel_source = wanted;
  }
  return std::unique_ptr<Collector>(std::make_unique<KernelCollector>(std::move(options)));
}

}  // namespace

CollectorInfo kernel_collector() {
  return {"kernel",
          "what the kernel did with the threads of measured processes: switches, wakeups, faults, interrupts, I/O",
          "Records each span in which a thread did not run, with why, who ran instead and who woke it, and "
          "migrations, page faults, interrupts and block I/O, by programs in the kernel (eBPF). Writes that the kernel "
          "puts off are its own threads' and not in the list. Without the rights for that: switches and faults by "
          "perf_event_open, or counts of /proc.",
          "for the whole: CAP_BPF and CAP_PERFMON, and a kernel that describes its types (BTF), 5.10 or newer",
          kPlane,
          {RowSchema<OffCpuRow>::kName, RowSchema<HostEventRow>::kName, RowSchema<StackRow>::kName},
          make_kernel_collector};
}

}  // namespace aaco
