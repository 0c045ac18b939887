// SPDX-License-Identifier: MIT
#include "analysis/queue/timeline/kernel_readiness.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <unordered_map>

namespace aaco {

namespace {

bool is_work(const ActivityRecord& record) {
  return record.kind == ActivityKind::kKernel || record.kind == ActivityKind::kCopy ||
         record.kind == ActivityKind::kSet;
}

// By device and start. The rest only makes the order independent of the records'.
std::vector<const ActivityRecord*> work_in_order(const ActivityRun& run) {
  std::vector<const ActivityRecord*> work;
  for (const ActivityRecord& record : run.records) {
    if (is_work(record)) {
      work.push_back(&record);
    }
  }
  std::sort(work.begin(), work.end(), [](const ActivityRecord* a, const ActivityRecord* b) {
    return std::tie(a->device, a->start_ns, a->end_ns, a->stream, a->correlation, a->graph_node) <
           std::tie(b->device, b->start_ns, b->end_ns, b->stream, b->correlation, b->graph_node);
  });
  return work;
}

struct Index {
  std::unordered_map<uint64_t, int64_t> launch_ends;              // by correlation
  std::unordered_map<uint64_t, int64_t> work_ends;                // the last end of what has the correlation
  std::unordered_map<uint64_t, std::vector<uint64_t>> producers;  // by waiter
};

Index index_of(const ActivityRun& run) {
  Index index;
  for (const ActivityRecord& record : run.records) {
    if (record.correlation == kNoCorrelation) {
      continue;
    }
    if (record.kind == ActivityKind::kLaunchCall) {
      index.launch_ends.try_emplace(record.correlation, record.end_ns);
    } else if (is_work(record)) {
      const auto [entry, first] = index.work_ends.try_emplace(record.correlation, record.end_ns);
      entry->second = std::max(entry->second, record.end_ns);
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
  for (const uint64_t producer : kernel.producers) {
    const auto end = index.work_ends.find(producer);
    if (end == index.work_ends.end()) {
      kernel.unresolved = true;
      return;
    }
    ready_ns = std::max(ready_ns, end->second);
  }
  kernel.ready_ns = ready_ns;
}

ReadyKernel kernel_of(const ActivityRecord& record, const Index& index, std::optional<int64_t> previous_end_ns) {
  ReadyKernel kernel{record.start_ns,
                     record.end_ns,
                     record.stream,
                     record.device,
                     {},
                     {},
                     previous_end_ns,
                     record.correlation,
                     {},
                     false};
  if (const auto launch = index.launch_ends.find(record.correlation);
      record.graph_node == 0 && launch != index.launch_ends.end()) {
    kernel.launch_end_ns = launch->second;
  }
  if (const auto waits = index.producers.find(record.correlation); waits != index.producers.end()) {
    kernel.producers = waits->second;
  }
  add_ready(index, kernel);
  return kernel;
}

}  // namespace

std::vector<ReadyKernel> ready_kernels(const ActivityRun& run) {
  const Index index = index_of(run);
  std::map<std::pair<uint32_t, uint64_t>, int64_t> stream_ends;
  std::vector<ReadyKernel> kernels;
  for (const ActivityRecord* record : work_in_order(run)) {
    const auto [end, first] = stream_ends.try_emplace({record->device, record->stream}, record->end_ns);
    if (record->kind == ActivityKind::kKernel) {
      kernels.push_back(kernel_of(*record, index, first ? std::nullopt : std::optional(end->second)));
    }
    end->second = std::max(end->second, record->end_ns);
  }
  return kernels;
}

std::string activity_problem(std::span<const ActivityRun> processes) {
  for (size_t i = 0; i < processes.size(); ++i) {
    if (processes[i].dropped > 0) {
      return fmt::format("the collector lost {} records of process {}", processes[i].dropped, i + 1);
    }
    const auto reversed = std::count_if(processes[i].records.begin(), processes[i].records.end(),
                                        [](const ActivityRecord& record) { return record.end_ns < record.start_ns; });
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
