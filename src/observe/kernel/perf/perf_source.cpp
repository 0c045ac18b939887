// SPDX-License-Identifier: MIT
#include "observe/kernel/perf/perf_source.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/attach/process_maps.h"
#include "base/clock.h"
#include "observe/kernel/perf/perf_buffers.h"

namespace aaco {

namespace {

// Records of one processor are in order, those of several are merged: one that is younger than this may still have an
// older one of another processor behind it.
constexpr uint64_t kOrderedAfterNs = 2'000'000;

// What follows each record that is no sample, as attributes_of() asks for it.
struct RecordEnd {
  uint32_t process, thread;
  uint64_t time_ns;
  uint32_t processor, reserved;
  uint64_t event;
};
struct ForkBody {
  uint32_t process, parent_process, thread, parent_thread;
};
struct FaultBody {
  uint64_t event;
  uint32_t process, thread;
  uint64_t time_ns, address;
  uint32_t processor, reserved;
};

struct PerfRecord {
  uint32_t type = 0;
  uint16_t detail = 0;
  RecordEnd end{};
  ForkBody fork{};
  uint64_t value = 0;
  std::string name;
};

template <class T>
T body_of(std::span<const std::byte> bytes) {
  T body{};
  std::memcpy(static_cast<void*>(&body), bytes.data() + sizeof(perf_event_header),
              std::min(sizeof(T), bytes.size() - sizeof(perf_event_header)));
  return body;
}

PerfRecord parse(std::span<const std::byte> bytes) {
  perf_event_header header{};
  std::memcpy(&header, bytes.data(), sizeof(header));
  PerfRecord record;
  record.type = header.type;
  record.detail = header.misc;
  if (header.type == PERF_RECORD_SAMPLE) {
    const auto fault = body_of<FaultBody>(bytes);
    record.end = {fault.process, fault.thread, fault.time_ns, fault.processor, 0, fault.event};
    record.value = fault.address;
    return record;
  }
  if (bytes.size() >= sizeof(header) + sizeof(RecordEnd)) {
    std::memcpy(&record.end, bytes.data() + bytes.size() - sizeof(RecordEnd), sizeof(RecordEnd));
  }
  if (header.type == PERF_RECORD_FORK || header.type == PERF_RECORD_EXIT) {
    record.fork = body_of<ForkBody>(bytes);
  } else if (header.type == PERF_RECORD_LOST) {
    record.value = body_of<std::pair<uint64_t, uint64_t>>(bytes).second;
  } else if (header.type == PERF_RECORD_COMM) {
    constexpr size_t kNameAt = sizeof(perf_event_header) + 8;
    const auto* name = reinterpret_cast<const char*>(bytes.data()) + kNameAt;
    record.name = {name, ::strnlen(name, bytes.size() - kNameAt)};
  }
  return record;
}

class PerfSource final : public KernelSource {
 public:
  Result<void> open() {
    std::ifstream("/proc/self/comm") >> own_name_;
    return buffers_.add_thread(0);
  }

  void observe(int64_t pid) override {
    if (processes_.contains(pid)) {
      return;
    }
    // What the thread that opened this has started is in the buffers by itself, and other programs are not.
    if (parent_of(pid) == own_process_) {
      return;
    }
    for (const pid_t thread : read_threads(static_cast<pid_t>(pid))) {
      if (const Result<void> added = buffers_.add_thread(thread); !added && refusal_.empty()) {
        refusal_ = added.error().message;
      }
    }
    processes_.insert(pid);
  }

  void drain(KernelRows& rows) override {
    const auto now_ns = static_cast<uint64_t>(monotonic_ns());
    buffers_.read([&](std::span<const std::byte> bytes) { waiting_.push_back(parse(bytes)); });
    take_until(now_ns - kOrderedAfterNs, rows);
  }

  void end(KernelRows& rows) override { take_until(UINT64_MAX, rows); }

  PlaneSource facts() const override {
    PlaneSource source;
    source.name = "perf_event_open";
    source.not_seen =
        "what a thread waited in, who ran instead, who woke it, how long it waited for a processor after it was woken, "
        "stacks, interrupts, block I/O, moves while it waited";
    if (lost_ > 0) {
      source.losses.push_back(fmt::format("{} records: the buffer was full", lost_));
    }
    if (!refusal_.empty()) {
      source.losses.push_back("a process: " + refusal_);
    }
    source.figures["open_spans"] =
        std::count_if(threads_.begin(), threads_.end(), [](const auto& each) { return each.second.off_ns != 0; });
    return source;
  }

 private:
  struct ThreadState {
    uint64_t off_ns = 0;
    bool preempted = false;
    std::optional<int64_t> processor;  // where it ran last
    std::string name;
  };

  static int64_t parent_of(int64_t pid) {
    const std::string stat = read_proc_text(fmt::format("/proc/{}/stat", pid));
    const size_t name_end = stat.rfind(')');  // then state, parent
    return name_end == std::string::npos || name_end + 4 >= stat.size()
               ? -1
               : std::strtoll(stat.c_str() + name_end + 4, nullptr, 10);
  }

  void take_until(uint64_t end_ns, KernelRows& rows) {
    std::stable_sort(waiting_.begin(), waiting_.end(),
                     [](const PerfRecord& a, const PerfRecord& b) { return a.end.time_ns < b.end.time_ns; });
    size_t count = 0;
    for (; count < waiting_.size() && waiting_[count].end.time_ns <= end_ns; ++count) {
      take(waiting_[count], rows);
    }
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
  }

  ThreadState& state_of(const PerfRecord& record) {
    const auto [place, is_new] = threads_.try_emplace(record.end.thread);
    if (is_new) {
      place->second.name = own_name_;
    }
    processes_.insert(record.end.process);
    return place->second;
  }

  void take(const PerfRecord& record, KernelRows& rows) {
    if (record.type == PERF_RECORD_LOST) {
      lost_ += static_cast<int64_t>(record.value);
    } else if (record.type == PERF_RECORD_FORK) {
      threads_[record.fork.thread].name = threads_[record.fork.parent_thread].name;
      if (threads_[record.fork.thread].name.empty()) {
        threads_[record.fork.thread].name = own_name_;
      }
      if (record.fork.parent_process != own_process_) {
        HostEventRow row = event_row(HostEventKind::kFork, record);
        row.process_id = record.fork.parent_process;
        row.thread_id = record.fork.parent_thread;
        row.name = record.fork.process == record.fork.parent_process ? "thread" : "process";
        row.value = record.fork.thread;
        rows.take(row);
      }
    } else if (record.end.process != own_process_ && record.end.process != 0) {
      take_observed(record, rows);
    }
  }

  static HostEventRow event_row(HostEventKind kind, const PerfRecord& record) {
    HostEventRow row;
    row.kind = kind;
    row.t_start_ns = static_cast<int64_t>(record.end.time_ns);
    row.process_id = record.end.process;
    row.thread_id = record.end.thread;
    row.cpu = record.end.processor;
    return row;
  }

  void take_observed(const PerfRecord& record, KernelRows& rows) {
    ThreadState& thread = state_of(record);
    if (record.type == PERF_RECORD_SWITCH && (record.detail & PERF_RECORD_MISC_SWITCH_OUT) != 0) {
      thread.off_ns = record.end.time_ns;
      thread.preempted = (record.detail & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
      thread.processor = record.end.processor;
    } else if (record.type == PERF_RECORD_SWITCH) {
      come_back(record, thread, rows);
    } else if (record.type == PERF_RECORD_SAMPLE) {
      HostEventRow row = event_row(HostEventKind::kPageFault, record);
      row.value = static_cast<int64_t>(record.value);
      rows.take(row);
    } else if (record.type == PERF_RECORD_COMM) {
      thread.name = record.name;
      if ((record.detail & PERF_RECORD_MISC_COMM_EXEC) != 0) {
        HostEventRow row = event_row(HostEventKind::kExec, record);
        row.name = record.name;
        rows.take(row);
      }
    } else if (record.type == PERF_RECORD_EXIT) {
      HostEventRow row = event_row(HostEventKind::kExit, record);
      row.name = record.end.process == record.end.thread ? "process" : "thread";
      rows.take(row);
      threads_.erase(record.end.thread);
    }
  }

  static void come_back(const PerfRecord& record, ThreadState& thread, KernelRows& rows) {
    if (thread.processor && thread.processor != record.end.processor) {
      HostEventRow row = event_row(HostEventKind::kMigration, record);
      row.value = thread.processor;
      rows.take(row);
    }
    if (thread.off_ns != 0) {
      OffCpuRow row;
      row.process_id = record.end.process;
      row.thread_id = record.end.thread;
      row.thread_name = thread.name;
      row.t_start_ns = static_cast<int64_t>(thread.off_ns);
      row.t_end_ns = static_cast<int64_t>(record.end.time_ns);
      row.cpu_before = thread.processor;
      row.cpu_after = record.end.processor;
      if (thread.preempted) {
        row.reason = OffCpuReason::kPreempted;
        row.run_queue_ns = row.t_end_ns - row.t_start_ns;
      }
      rows.take(row);
    }
    thread.off_ns = 0;
    thread.processor = record.end.processor;
  }

  PerfBuffers buffers_;
  int64_t own_process_ = ::getpid();
  std::string own_name_;
  std::vector<PerfRecord> waiting_;
  std::map<int64_t, ThreadState> threads_;
  std::set<int64_t> processes_;
  int64_t lost_ = 0;
  std::string refusal_;
};

}  // namespace

Result<std::unique_ptr<KernelSource>> open_perf_source() {
  auto source = std::make_unique<PerfSource>();
  AACO_TRY(source->open());
  return std::unique_ptr<KernelSource>(std::move(source));
}

}  // namespace aaco
