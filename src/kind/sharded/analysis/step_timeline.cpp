// SPDX-License-Identifier: MIT
#include "kind/sharded/analysis/step_timeline.h"

#include <algorithm>
#include <limits>

#include "kind/sharded/analysis/step_slices.h"

namespace aaco {

Result<std::vector<TimelineSlice>> step_timeline(const EventTable& events, int64_t steps, int64_t step) {
  std::vector<TimelineSlice> timeline;
  int64_t zero_ns = std::numeric_limits<int64_t>::max();
  for (const DeviceWork& work : device_work(events, LaunchIndex(events))) {
    AACO_ASSIGN(auto by_step, slices_by_step(events, work, steps));
    std::vector<DeviceSlice>& slices = by_step.at(static_cast<size_t>(step));
    const auto stream_of = [&](const DeviceSlice& slice) { return events.tracks[events.track[slice.event]].stream; };
    std::stable_sort(slices.begin(), slices.end(),
                     [&](const auto& a, const auto& b) { return stream_of(a) < stream_of(b); });
    for (const DeviceSlice& slice : slices) {
      const Span span = span_of(events, slice);
      zero_ns = std::min(zero_ns, span.start_ns);
      timeline.push_back({work.rank, std::string(events.strings[events.tracks[events.track[slice.event]].thread]),
                          std::string(events.strings[events.name[slice.event]]), word_of(slice.work), span.start_ns,
                          span.end_ns});
    }
  }
  for (TimelineSlice& slice : timeline) {
    slice.start_ns -= zero_ns;
    slice.end_ns -= zero_ns;
  }
  return timeline;
}

}  // namespace aaco
