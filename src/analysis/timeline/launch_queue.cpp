// SPDX-License-Identifier: MIT
#include "analysis/timeline/launch_queue.h"

#include <algorithm>
#include <utility>

#include "trace/event_table.h"
#include "trace/intervals.h"

namespace aaco {

namespace {

void measure_depth(std::vector<std::pair<int64_t, int>>& steps, const Span& window, LaunchQueue& queue) {
  std::sort(steps.begin(), steps.end());  // at one moment the ends come first
  double depth_ns = 0;
  uint64_t depth = 0;
  int64_t from_ns = window.start_ns;
  MostOverTime timeline(window.start_ns, window.end_ns);
  for (const auto& [time_ns, step] : steps) {
    const int64_t until_ns = std::clamp(time_ns, window.start_ns, window.end_ns);
    depth_ns += static_cast<double>(depth) * static_cast<double>(until_ns - from_ns);
    queue.empty_ns += depth == 0 ? until_ns - from_ns : 0;
    from_ns = until_ns;
    const auto before = static_cast<int64_t>(depth);
    depth += static_cast<uint64_t>(static_cast<int64_t>(step));
    timeline.add(until_ns, before, static_cast<int64_t>(depth));
    if (depth > queue.max_depth) {
      queue.max_depth = depth;
      queue.max_depth_at_ns = time_ns;
    }
  }
  const int64_t window_ns = window.end_ns - window.start_ns;
  queue.empty_ns += window.end_ns - from_ns;
  queue.timeline = timeline.finish();
  queue.mean_depth = window_ns > 0 ? depth_ns / static_cast<double>(window_ns) : 0;
}

}  // namespace

LaunchQueue launch_queue(std::span<const DeviceSlice> slices, std::span<const int64_t> submitted_ns,
                         const Span& window) {
  LaunchQueue queue;
  std::vector<int64_t> delays;
  std::vector<std::pair<int64_t, int>> steps;
  for (size_t i = 0; i < slices.size(); ++i) {
    if (submitted_ns[i] == kNoId) {
      continue;
    }
    const Span& span = slices[i].span;
    delays.push_back(span.start_ns - submitted_ns[i]);
    if (span.start_ns < span.end_ns || submitted_ns[i] < span.start_ns) {
      steps.emplace_back(std::min(submitted_ns[i], span.start_ns), 1);
      steps.emplace_back(span.end_ns, -1);
    }
  }
  queue.launches = delays.size();
  if (delays.empty()) {
    return queue;
  }
  std::sort(delays.begin(), delays.end());
  queue.negative = static_cast<uint64_t>(std::lower_bound(delays.begin(), delays.end(), 0) - delays.begin());
  queue.median_delay_ns = delays[(delays.size() - 1) / 2];
  queue.p99_delay_ns = delays[delays.size() - 1 - delays.size() / 100];
  queue.max_delay_ns = delays.back();
  measure_depth(steps, window, queue);
  return queue;
}

}  // namespace aaco
