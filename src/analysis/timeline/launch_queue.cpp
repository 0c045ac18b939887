// SPDX-License-Identifier: MIT
#include "analysis/timeline/launch_queue.h"

#include <algorithm>
#include <utility>

#include "record/events/event_table.h"
#include "record/intervals.h"

namespace aaco {

namespace {

// When slices were launched and when they ended, each of the two in ascending order.
struct Steps {
  std::vector<int64_t> starts_ns;
  std::vector<int64_t> ends_ns;
};

Steps steps_of(const EventTable& events, std::span<const DeviceSlice> slices, size_t launches) {
  Steps steps;
  steps.starts_ns.reserve(launches);
  steps.ends_ns.reserve(launches);
  for (const DeviceSlice& slice : slices) {
    const int64_t launched_ns = submitted_ns(events, slice);
    const Span span = span_of(events, slice);
    if (launched_ns != kNoId && (span.start_ns < span.end_ns || launched_ns < span.start_ns)) {
      steps.starts_ns.push_back(std::min(launched_ns, span.start_ns));
      steps.ends_ns.push_back(span.end_ns);
    }
  }
  std::sort(steps.starts_ns.begin(), steps.starts_ns.end());
  std::sort(steps.ends_ns.begin(), steps.ends_ns.end());
  return steps;
}

void measure_depth(const Steps& steps, const Span& window, LaunchQueue& queue) {
  double depth_ns = 0;
  uint64_t depth = 0;
  int64_t from_ns = window.start_ns;
  MostOverTime timeline(window.start_ns, window.end_ns);
  for (size_t start = 0, end = 0; end < steps.ends_ns.size();) {
    const bool begins = start < steps.starts_ns.size() && steps.starts_ns[start] < steps.ends_ns[end];  // ends first
    const int64_t time_ns = begins ? steps.starts_ns[start++] : steps.ends_ns[end++];
    const int64_t until_ns = std::clamp(time_ns, window.start_ns, window.end_ns);
    depth_ns += static_cast<double>(depth) * static_cast<double>(until_ns - from_ns);
    queue.empty_ns += depth == 0 ? until_ns - from_ns : 0;
    from_ns = until_ns;
    const auto before = static_cast<int64_t>(depth);
    depth = begins ? depth + 1 : depth - 1;
    timeline.add(until_ns, before, static_cast<int64_t>(depth));
    if (depth > queue.max_depth) {
      queue.max_depth = depth;
      queue.max_depth_at_ns = time_ns;
    }
  }
  const int64_t window_ns = window.end_ns - window.start_ns;
  queue.empty_ns += window.end_ns - from_ns;
  timeline.add(window.end_ns, 0, 0);  // empty since the last end
  queue.timeline = timeline.finish();
  queue.mean_depth = window_ns > 0 ? depth_ns / static_cast<double>(window_ns) : 0;
}

void measure_delays(std::vector<int64_t> delays_ns, LaunchQueue& queue) {
  std::sort(delays_ns.begin(), delays_ns.end());
  queue.negative = static_cast<uint64_t>(std::lower_bound(delays_ns.begin(), delays_ns.end(), 0) - delays_ns.begin());
  queue.median_delay_ns = delays_ns[(delays_ns.size() - 1) / 2];
  queue.p99_delay_ns = delays_ns[delays_ns.size() - 1 - delays_ns.size() / 100];
  queue.max_delay_ns = delays_ns.back();
}

}  // namespace

LaunchQueue launch_queue(const EventTable& events, std::span<const DeviceSlice> slices, const Span& window) {
  LaunchQueue queue;
  queue.launches = static_cast<uint64_t>(
      std::count_if(slices.begin(), slices.end(), [](const DeviceSlice& slice) { return slice.call != kNoEvent; }));
  if (queue.launches == 0) {
    return queue;
  }
  std::vector<int64_t> delays_ns;
  delays_ns.reserve(queue.launches);
  for (const DeviceSlice& slice : slices) {
    if (slice.call != kNoEvent) {
      delays_ns.push_back(events.start_ns[slice.event] - submitted_ns(events, slice));
    }
  }
  measure_delays(std::move(delays_ns), queue);
  measure_depth(steps_of(events, slices, queue.launches), window, queue);
  return queue;
}

}  // namespace aaco
