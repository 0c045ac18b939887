// SPDX-License-Identifier: MIT
#include "kind/queue_run/timeline/concurrency.h"

#include <algorithm>
#include <map>
#include <set>

#include "kind/queue_run/analysis/signed_figure.h"
#include "record/device/device_rows.h"

namespace aaco {

namespace {

// Busy time of one device by number in flight; [0] is one kernel. Kernels without a length are in flight at no time.
void add_levels(const std::vector<std::pair<int64_t, int>>& changes, std::vector<int64_t>& at_level_ns) {
  size_t in_flight = 0;
  int64_t since_ns = 0;
  for (const auto& [at_ns, change] : changes) {
    if (in_flight > 0 && at_ns > since_ns) {
      at_level_ns.resize(std::max(at_level_ns.size(), in_flight));
      at_level_ns[in_flight - 1] += at_ns - since_ns;
    }
    in_flight = change > 0 ? in_flight + 1 : in_flight - 1;
    since_ns = at_ns;
  }
}

std::vector<int64_t> levels_of(const ActivityRun& run, Concurrency& result) {
  std::map<uint32_t, std::vector<std::pair<int64_t, int>>> changes;  // by device
  std::set<DeviceStream> streams;
  const EventTable& events = *run.events;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.kind[i] != EventKind::kKernel || events.shape[i] != EventShape::kSlice) {
      continue;
    }
    ++result.kernels;
    const DeviceStream place = stream_of(events, i);
    streams.insert(place);
    if (events.duration_ns[i] > 0) {
      changes[place.device].emplace_back(events.start_ns[i], 1);
      changes[place.device].emplace_back(events.end_ns(i), -1);
    }
  }
  result.streams = std::max(result.streams, static_cast<int64_t>(streams.size()));
  std::vector<int64_t> at_level_ns;
  for (auto& [device, of_device] : changes) {
    std::sort(of_device.begin(), of_device.end());  // of one moment ends come first
    add_levels(of_device, at_level_ns);
  }
  return at_level_ns;
}

}  // namespace

Concurrency concurrency(std::span<const ActivityRun> processes) {
  constexpr const char* kId = "concurrency";
  Concurrency result;
  if (const std::string problem = activity_problem(processes); !problem.empty()) {
    result.mean_in_flight = invalid(kId, problem);
    return result;
  }
  std::vector<double> means;
  for (const ActivityRun& run : processes) {
    const std::vector<int64_t> at_level_ns = levels_of(run, result);
    double busy_ns = 0;
    double sum_ns = 0;
    result.at_level_ns.resize(std::max(result.at_level_ns.size(), at_level_ns.size()));
    for (size_t i = 0; i < at_level_ns.size(); ++i) {
      result.at_level_ns[i] += at_level_ns[i];
      busy_ns += static_cast<double>(at_level_ns[i]);
      sum_ns += static_cast<double>(at_level_ns[i]) * static_cast<double>(i + 1);
    }
    if (busy_ns > 0) {
      means.push_back(sum_ns / busy_ns);
    }
  }
  result.most_in_flight = static_cast<int64_t>(result.at_level_ns.size());
  result.mean_in_flight = figure_over_processes(kId, means);
  return result;
}

}  // namespace aaco
