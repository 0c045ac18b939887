// SPDX-License-Identifier: MIT
#include "export/planes/recorded_planes.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace aaco {

namespace {

constexpr const char* kHost = "host";

class Planes {
 public:
  explicit Planes(EventTable& events) : events_(events), recording_(static_cast<uint32_t>(events.recordings.size())) {
    events.recordings.push_back({"planes of the session", "aaco session"});
  }

  uint32_t track(const std::string& process, const std::string& thread, const std::string& thread_name) {
    const auto [at, is_new] = tracks_.try_emplace({process, thread}, static_cast<uint32_t>(events_.tracks.size()));
    if (is_new) {
      Track track;
      track.process = track.process_name = events_.strings.intern(process);
      track.thread = events_.strings.intern(thread);
      track.thread_name = events_.strings.intern(thread_name);
      track.recording = recording_;
      events_.tracks.push_back(track);
    }
    return at->second;
  }

  // An impossible time is no slice.
  void slice(uint32_t track, EventKind kind, const char* category, const std::string& name, int64_t start_ns,
             int64_t end_ns, const std::vector<Argument>& arguments = {}) {
    if (start_ns >= 0 && end_ns >= start_ns) {
      events_.add({start_ns, end_ns - start_ns, kNoId, kNoId, events_.strings.intern(name),
                   events_.strings.intern(category), track, kind, EventShape::kSlice},
                  arguments);
    }
  }
  void mark(uint32_t track, const char* category, const std::string& name, int64_t t_ns,
            const std::vector<Argument>& arguments) {
    events_.add({t_ns, 0, kNoId, kNoId, events_.strings.intern(name), events_.strings.intern(category), track,
                 EventKind::kOther, EventShape::kInstant},
                arguments);
  }
  // With its unit beside it, as readings of other tools have it; a count has none.
  void counter(const std::string& process, const std::string& name, const std::string& unit, int64_t t_ns,
               double value) {
    std::vector arguments{
        Argument{events_.strings.intern("value"), ArgumentType::kReal, std::bit_cast<uint64_t>(value)}};
    if (unit != "1") {
      arguments.push_back(text("unit", unit));
    }
    events_.add({t_ns, 0, kNoId, kNoId, events_.strings.intern(name), events_.strings.intern("sample"),
                 track(process, "samples", "samples"), EventKind::kOther, EventShape::kCounter},
                arguments);
  }

  Argument integer(const char* key, int64_t value) {
    return {events_.strings.intern(key), ArgumentType::kInteger, static_cast<uint64_t>(value)};
  }
  Argument text(const char* key, const std::string& value) {
    return {events_.strings.intern(key), ArgumentType::kText, events_.strings.intern(value)};
  }

 private:
  EventTable& events_;
  uint32_t recording_;
  std::map<std::pair<std::string, std::string>, uint32_t> tracks_;
};

std::string process_name(int64_t pid) { return fmt::format("process {}", pid); }

void add_iterations(const Recording& recording, Planes& planes) {
  std::map<int64_t, int64_t> pids;
  for (const ProcessFacts& facts : recording.facts.process_facts) {
    pids[facts.process] = facts.pid;
  }
  const auto name_of = [&](int64_t process) {
    const int64_t pid = pids[process];
    return pid > 0 ? process_name(pid) : fmt::format("process index {}", process);
  };
  for (const IterationRow& row : recording.iterations) {
    planes.slice(planes.track(name_of(row.process), "iterations", "iterations"), EventKind::kHostRange,
                 word_of(row.phase), fmt::format("iteration {}", row.iter_idx), row.t_start_ns, row.t_end_ns);
  }
  for (const KernelRow& row : recording.kernels) {
    const bool on_device = row.device.has_value() && row.stream.has_value();
    const std::string lane = on_device ? fmt::format("device {} stream {}", *row.device, *row.stream)
                                       : fmt::format("nodes of thread {}", row.thread_id);
    const bool is_call = row.activity == NodeActivity::kHostLaunch || row.activity == NodeActivity::kHostWait;
    planes.slice(planes.track(name_of(row.process), lane, lane), is_call ? EventKind::kHostCall : EventKind::kHostOp,
                 word_of(row.activity), row.node_name.empty() || on_device ? row.kernel_name : row.node_name,
                 row.t_start_ns, row.t_end_ns);
  }
}

std::string off_cpu_name(const OffCpuRow& row) {
  const bool preempted = row.reason == OffCpuReason::kPreempted && row.next_name && row.next_thread_id.value_or(1) != 0;
  return row.reason == OffCpuReason::kUnknown ? "off CPU"
         : preempted                          ? "preempted by " + *row.next_name
                                              : std::string(word_of(row.reason));
}

// Between two spans off a processor a thread ran; before its first and behind its last nothing is known.
void add_threads(const CollectedRows& rows, Planes& planes) {
  std::map<std::pair<int64_t, int64_t>, std::vector<const OffCpuRow*>> threads;
  for (const OffCpuRow& row : rows.rows<OffCpuRow>()) {
    threads[{row.process_id, row.thread_id}].push_back(&row);
  }
  for (auto& [key, spans] : threads) {
    std::ranges::stable_sort(spans, {}, &OffCpuRow::t_start_ns);
    const uint32_t track = planes.track(process_name(key.first), fmt::format("thread {}", key.second),
                                        fmt::format("{} {}: processor", spans.front()->thread_name, key.second));
    const OffCpuRow* before = nullptr;
    for (const OffCpuRow* row : spans) {
      if (before != nullptr && before->t_end_ns < row->t_start_ns && before->reason != OffCpuReason::kExit) {
        planes.slice(track, EventKind::kOther, "running", "running", before->t_end_ns, row->t_start_ns);
      }
      std::vector<Argument> arguments;
      if (row->run_queue_ns) {
        arguments.push_back(planes.integer("run_queue_ns", *row->run_queue_ns));
      }
      if (row->waker_name) {
        arguments.push_back(planes.text("waker", *row->waker_name));
      }
      planes.slice(track, EventKind::kOther, "off_cpu", off_cpu_name(*row), row->t_start_ns, row->t_end_ns, arguments);
      before = row;
    }
  }
}

void add_host_events(const CollectedRows& rows, Planes& planes) {
  for (const HostEventRow& row : rows.rows<HostEventRow>()) {
    const std::string process = row.process_id ? process_name(*row.process_id) : kHost;
    const std::string lane =
        row.thread_id ? fmt::format("thread {}: {}", *row.thread_id, word_of(row.kind)) : word_of(row.kind);
    const uint32_t track = planes.track(process, lane, lane);
    std::vector<Argument> arguments;
    if (row.value) {
      arguments.push_back(planes.integer("value", *row.value));
    }
    const std::string name = row.name.empty() ? word_of(row.kind) : row.name;
    if (row.t_end_ns) {
      planes.slice(track, EventKind::kOther, word_of(row.kind), name, row.t_start_ns, *row.t_end_ns, arguments);
    } else if (row.t_start_ns >= 0) {
      planes.mark(track, word_of(row.kind), name, row.t_start_ns, arguments);
    }
  }
}

template <class Row>
void add_samples(const std::vector<Row>& rows, const auto& process_of, Planes& planes) {
  for (const Row& row : rows) {
    if (row.t_ns < 0) {
      continue;
    }
    std::apply(
        [&](const auto&... column) {
          const auto add = [&]<class T>(const RowColumn<Row, T>& field) {
            if constexpr (std::is_same_v<T, std::optional<double>> || std::is_same_v<T, std::optional<int64_t>>) {
              if (const T& value = row.*field.member; value && std::string_view(field.name) != "pid") {
                planes.counter(process_of(row), field.name, field.unit, row.t_ns, static_cast<double>(*value));
              }
            }
          };
          (add(column), ...);
        },
        RowSchema<Row>::columns());
  }
}

}  // namespace

void add_recorded_planes(const Recording& recording, EventTable& events) {
  Planes planes(events);
  add_iterations(recording, planes);
  add_threads(recording.collected, planes);
  add_host_events(recording.collected, planes);
  add_samples(recording.collected.rows<SystemRow>(), [](const SystemRow&) { return std::string(kHost); }, planes);
  add_samples(
      recording.collected.rows<GpuSampleRow>(), [](const GpuSampleRow& row) { return "GPU " + row.device; }, planes);
}

}  // namespace aaco
