// SPDX-License-Identifier: MIT
#include "analysis/host/host_cause.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "analysis/host/wait_place.h"

namespace aaco {

namespace {

using Key = std::pair<HostCauseKind, std::string>;

class Collection {
 public:
  void add(HostCauseKind kind, std::string name, int64_t process, Span span) {
    if (is_span(span.start_ns, span.end_ns)) {
      spans_[{kind, std::move(name)}][process].push_back(span);
    }
  }

  HostCauses finish() {
    HostCauses result;
    std::vector<std::pair<int64_t, HostCause>> causes;
    for (auto& [key, by_process] : spans_) {
      HostCause cause{key.first, key.second, {}};
      int64_t total_ns = 0;
      for (auto& [process, spans] : by_process) {
        CauseTimes& times = cause.by_process[process];
        times.spans = union_of(spans);
        for (const Span& span : spans) {
          times.starts_ns.push_back(span.start_ns);
        }
        std::ranges::sort(times.starts_ns);
        total_ns = saturating_sum(total_ns, length_ns(times.spans));
      }
      causes.emplace_back(total_ns, std::move(cause));
    }
    std::ranges::stable_sort(causes, [](const auto& a, const auto& b) { return a.first > b.first; });
    result.left_out = causes.size() > kMostCauses ? causes.size() - kMostCauses : 0;
    causes.resize(causes.size() - result.left_out);
    for (auto& [total_ns, cause] : causes) {
      result.causes.push_back(std::move(cause));
    }
    return result;
  }

 private:
  std::map<Key, std::map<int64_t, std::vector<Span>>> spans_;
};

void add_off_cpu(const Recording& recording, const StackIndex& stacks, const MeasuredProcess& process,
                 Collection& causes) {
  for (const OffCpuRow& row : recording.collected.rows<OffCpuRow>()) {
    if (row.process_id != process.pid || row.reason == OffCpuReason::kExit) {
      continue;
    }
    if (row.reason == OffCpuReason::kPreempted) {
      causes.add(HostCauseKind::kPreempted, row.next_name.value_or(""), process.process,
                 {row.t_start_ns, row.t_end_ns});
      continue;
    }
    const int64_t runnable_from_ns = std::max(row.t_start_ns, row.t_end_ns - row.run_queue_ns.value_or(0));
    if (runnable_from_ns < row.t_end_ns) {
      causes.add(HostCauseKind::kRunQueue, "", process.process, {runnable_from_ns, row.t_end_ns});
    }
    if (row.thread_id == process.pid) {  // the others wait for work
      causes.add(HostCauseKind::kWait, wait_text(stacks.place(row.stack)), process.process,
                 {row.t_start_ns, runnable_from_ns});
    }
  }
}

std::optional<HostCauseKind> kind_of(HostEventKind kind) {
  switch (kind) {
    case HostEventKind::kPageFault:
      return HostCauseKind::kPageFault;
    case HostEventKind::kInterrupt:
      return HostCauseKind::kInterrupt;
    case HostEventKind::kSoftInterrupt:
      return HostCauseKind::kSoftInterrupt;
    case HostEventKind::kBlockIo:
      return HostCauseKind::kBlockIo;
    default:
      return std::nullopt;
  }
}

void add_events(const Recording& recording, const MeasuredProcess& process, Collection& causes) {
  for (const HostEventRow& row : recording.collected.rows<HostEventRow>()) {
    const std::optional<HostCauseKind> kind = kind_of(row.kind);
    if (kind && row.process_id == process.pid) {
      causes.add(*kind, *kind == HostCauseKind::kPageFault ? "" : row.name, process.process,
                 {row.t_start_ns, row.t_end_ns.value_or(row.t_start_ns)});
    }
  }
}

void add_host_samples(const Recording& recording, const MeasuredProcess& process, Collection& causes) {
  const std::vector<SystemRow>& rows = recording.collected.rows<SystemRow>();
  double highest_mhz = 0;
  for (const SystemRow& row : rows) {
    highest_mhz = std::max(highest_mhz, row.cpu_frequency_mhz.value_or(0));
  }
  for (const SystemRow& row : rows) {
    const auto add = [&](HostCauseKind kind, bool holds) {
      if (holds && row.interval_ns > 0) {
        causes.add(kind, "", process.process, {row.t_ns - row.interval_ns, row.t_ns});
      }
    };
    add(HostCauseKind::kProcessorClock,
        row.cpu_frequency_mhz && *row.cpu_frequency_mhz < (1 - kClockDrop) * highest_mhz);
    add(HostCauseKind::kCpuPressure, row.psi_cpu_some_pct.value_or(0) >= kPressurePercent);
    add(HostCauseKind::kMemoryPressure, row.psi_memory_some_pct.value_or(0) >= kPressurePercent);
    add(HostCauseKind::kIoPressure, row.psi_io_some_pct.value_or(0) >= kPressurePercent);
  }
}

void add_device_samples(const Recording& recording, const MeasuredProcess& process, Collection& causes) {
  constexpr double kBusyPercent = 50;  // an idle device lowers its clock
  std::map<std::string, std::vector<const GpuSampleRow*>> devices;
  for (const GpuSampleRow& row : recording.collected.rows<GpuSampleRow>()) {
    devices[row.device].push_back(&row);
  }
  for (auto& [device, rows] : devices) {
    std::ranges::stable_sort(rows, {}, &GpuSampleRow::t_ns);
    double highest_mhz = 0;
    for (const GpuSampleRow* row : rows) {
      highest_mhz = std::max(highest_mhz, row->core_clock_mhz.value_or(0));
    }
    for (size_t i = 1; i < rows.size(); ++i) {
      const GpuSampleRow& row = *rows[i];
      const Span span{rows[i - 1]->t_ns, row.t_ns};
      if (row.throttled.value_or(0) != 0) {
        causes.add(HostCauseKind::kDeviceThrottle, row.clock_events.value_or(""), process.process, span);
      }
      if (row.busy_pct.value_or(0) >= kBusyPercent && row.core_clock_mhz &&
          *row.core_clock_mhz < (1 - kClockDrop) * highest_mhz) {
        causes.add(HostCauseKind::kDeviceClock, device, process.process, span);
      }
    }
  }
}

std::string named(const char* what, const std::string& name) {
  return name.empty() ? what : fmt::format("{} {}", what, name);
}

}  // namespace

bool HostCause::has_no_time() const {
  return std::ranges::all_of(by_process, [](const auto& entry) { return entry.second.spans.empty(); });
}

HostCauses host_causes(const Recording& recording, const std::vector<MeasuredProcess>& processes) {
  const StackIndex stacks(recording.collected.rows<StackRow>());
  Collection causes;
  for (const MeasuredProcess& process : processes) {
    add_off_cpu(recording, stacks, process, causes);
    add_events(recording, process, causes);
    add_host_samples(recording, process, causes);
    add_device_samples(recording, process, causes);
  }
  return causes.finish();
}

std::string cause_text(HostCauseKind kind, const std::string& name) {
  switch (kind) {
    case HostCauseKind::kUnknown:
      return "";
    case HostCauseKind::kPreempted:
      return name.empty() ? "preempted, by whom is not told" : "preempted by " + name;
    case HostCauseKind::kRunQueue:
      return "woken, waited for a processor";
    case HostCauseKind::kWait:
      return name.starts_with("not known") ? "waited (" + name + ")" : "waited in " + name;
    case HostCauseKind::kPageFault:
      return "page faults";
    case HostCauseKind::kInterrupt:
      return named("interrupt", name);
    case HostCauseKind::kSoftInterrupt:
      return named("soft interrupt", name);
    case HostCauseKind::kBlockIo:
      return named("block I/O", name);
    case HostCauseKind::kProcessorClock:
      return "processor clock 10 % below its highest";
    case HostCauseKind::kDeviceThrottle:
      return named("device clock held down", name);
    case HostCauseKind::kDeviceClock:
      return named("clock 10 % below its highest while busy, device", name);
    case HostCauseKind::kCpuPressure:
      return "CPU pressure of 10 % or more";
    case HostCauseKind::kMemoryPressure:
      return "memory pressure of 10 % or more";
    case HostCauseKind::kIoPressure:
      return "I/O pressure of 10 % or more";
  }
  return "";
}

}  // namespace aaco
