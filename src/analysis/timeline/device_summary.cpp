// SPDX-License-Identifier: MIT
#include "analysis/timeline/device_summary.h"

#include <algorithm>
#include <utility>

namespace aaco {

namespace {

using Call = std::pair<int64_t, int64_t>;  // rank and correlation id

std::vector<Call> calls_of(const EventTable& events) {
  std::vector<Call> calls;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.kind[i] == EventKind::kHostCall && events.correlation[i] != kNoId) {
      calls.emplace_back(events.tracks[events.track[i]].rank, events.correlation[i]);
    }
  }
  std::sort(calls.begin(), calls.end());
  return calls;
}

uint64_t overlaps_of(const EventTable& events, const std::vector<DeviceSlice>& slices) {
  std::vector<std::pair<uint32_t, Span>> ordered;
  ordered.reserve(slices.size());
  for (const DeviceSlice& slice : slices) {
    ordered.emplace_back(events.track[slice.event], slice.span);
  }
  std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first, a.second.start_ns) < std::pair(b.first, b.second.start_ns);
  });
  uint64_t overlaps = 0;
  int64_t end_ns = 0;
  for (size_t i = 0; i < ordered.size(); ++i) {
    const bool same_stream = i > 0 && ordered[i].first == ordered[i - 1].first;
    overlaps += same_stream && ordered[i].second.start_ns < end_ns ? 1 : 0;
    end_ns = same_stream ? std::max(end_ns, ordered[i].second.end_ns) : ordered[i].second.end_ns;
  }
  return overlaps;
}

}  // namespace

std::vector<DeviceSummary> device_summaries(const EventTable& events) {
  const std::vector<Call> calls = calls_of(events);
  std::vector<DeviceSummary> summaries;
  for (const DeviceWork& work : device_work(events)) {
    DeviceSummary summary{work.rank,
                          work.device,
                          time_budget(work.slices),
                          kernel_statistics(events, work.slices),
                          overlaps_of(events, work.slices),
                          0};
    summary.unlinked =
        static_cast<uint64_t>(std::count_if(work.slices.begin(), work.slices.end(), [&](const DeviceSlice& slice) {
          return !std::binary_search(calls.begin(), calls.end(), Call(work.rank, events.correlation[slice.event]));
        }));
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

}  // namespace aaco
