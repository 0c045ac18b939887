// SPDX-License-Identifier: MIT
#include "kind/queue_run/timeline/kernel_readiness.h"

#include <algorithm>
#include <compare>
#include <fmt/format.h>
#include <map>
#include <unordered_map>

#include "analysis/timeline/lookup/event_arguments.h"
#include "record/device/device_rows.h"

namespace aaco {

namespace {

// A kernel, copy or set; by device and start. The rest only makes the order independent of the rows'.
struct Work {
  uint32_t device = 0;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  uint64_t stream = 0;
  int64_t correlation = kNoId;
  int64_t graph_node = 0;
  bool is_kernel = false;
  friend auto operator<=>(const Work&, const Work&) = default;
};

std::vector<Work> work_in_order(const EventTable& events) {
  std::vector<Work> work;
  for (size_t i = 0; i < events.size(); ++i) {
    if (is_device_work(events.kind[i]) && events.shape[i] == EventShape::kSlice) {
      const DeviceStream place = stream_of(events, i);
      work.push_back({place.device, events.start_ns[i], events.end_ns(i), place.stream, events.correlation[i],
                      integer_argument(events, i, device_row::kGraphNode).value_or(0),
                      events.kind[i] == EventKind::kKernel});
    }
  }
  std::sort(work.begin(), work.end());
  return work;
}

struct Index {
  std::unordered_map<int64_t, int64_t> launch_ends;             // by correlation
  std::unordered_map<int64_t, int64_t> work_ends;               // the last end of what has the correlation
  std::unordered_map<int64_t, std::vector<int64_t>> producers;  // by waiter
};

Index index_of(const ActivityRun& run, const std::vector<Work>& all_work) {
  Index index;
  const EventTable& events = *run.events;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.correlation[i] != kNoId && is_launch_call(events, i)) {
      index.launch_ends.try_emplace(events.correlation[i], events.end_ns(i));
    }
  }
  for (const Work& work : all_work) {
    if (work.correlation != kNoId) {
      const auto [entry, first] = index.work_ends.try_emplace(work.correlation, work.end_ns);
      entry->second = std::max(entry->second, work.end_ns);
    }
  }
  for (const EventDependency& wait : run.waits) {
    index.producers[wait.waiter].push_back(wait.producer);
  }
  return index;
}

void add_ready(const Index& index, ReadyKernel& kernel) {
  if (!kernel.launch_end_ns) {
    return;
  }
  int64_t ready_ns = std::max(*kernel.launch_end_ns, kernel.previous_end_ns.value_or(*kernel.launch_end_ns));
  for (const int64_t producer : kernel.producers) {
    const auto end = index.work_ends.find(producer);
    if (end == index.work_ends.end()) {
      kernel.unresolved = true;
      return;
    }
    ready_ns = std::max(ready_ns, end->second);
  }
  kernel.ready_ns = ready_ns;
}

ReadyKernel kernel_of(const Work& work, const Index& index, std::optional<int64_t> previous_end_ns) {
  ReadyKernel kernel{work.start_ns,   work.end_ns,      work.stream, work.device, {}, {},
                     previous_end_ns, work.correlation, {},          false};
  if (const auto launch = index.launch_ends.find(work.correlation);
      work.graph_node == 0 && launch != index.launch_ends.end()) {
    kernel.launch_end_ns = launch->second;
  }
  if (const auto waits = index.producers.find(work.correlation); waits != index.producers.end()) {
    kernel.producers = waits->second;
  }
  add_ready(index, kernel);
  return kernel;
}

}  // namespace

std::vector<ReadyKernel> ready_kernels(const ActivityRun& run) {
  const std::vector<Work> all_work = work_in_order(*run.events);
  const Index index = index_of(run, all_work);
  std::map<std::pair<uint32_t, uint64_t>, int64_t> stream_ends;
  std::vector<ReadyKernel> kernels;
  for (const Work& work : all_work) {
    const auto [end, first] = stream_ends.try_emplace({work.device, work.stream}, work.end_ns);
    if (work.is_kernel) {
      kernels.push_back(kernel_of(work, index, first ? std::nullopt : std::optional(end->second)));
    }
    end->second = std::max(end->second, work.end_ns);
  }
  return kernels;
}

std::string activity_problem(std::span<const ActivityRun> processes) {
  for (size_t i = 0; i < processes.size(); ++i) {
    const EventTable& events = *processes[i].events;
    if (const uint64_t dropped = events.losses.count(Loss::kDropped); dropped > 0) {
      return fmt::format("the collector lost {} records of process {}", dropped, i + 1);
    }
    const auto reversed = std::count_if(events.duration_ns.begin(), events.duration_ns.end(),
                                        [](int64_t duration_ns) { return duration_ns < 0; });
    if (reversed > 0) {
      return fmt::format("{} records of process {} end before they begin", reversed, i + 1);
    }
  }
  return "";
}

std::string readiness_problem(std::span<const ActivityRun> processes) {
  for (const ActivityRun& run : processes) {
    if (!run.unresolved.empty()) {
      return run.unresolved;
    }
  }
  return "";
}

}  // namespace aaco
