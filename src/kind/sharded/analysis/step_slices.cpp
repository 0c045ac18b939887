// SPDX-License-Identifier: MIT
#include "kind/sharded/analysis/step_slices.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace aaco {

Result<std::vector<std::vector<DeviceSlice>>> slices_by_step(const EventTable& events, const DeviceWork& work,
                                                             int64_t steps) {
  const auto earlier = [&](const DeviceSlice& a, const DeviceSlice& b) {
    return events.start_ns[a.event] != events.start_ns[b.event] ? events.start_ns[a.event] < events.start_ns[b.event]
                                                                : a.event < b.event;
  };
  std::map<int64_t, std::vector<DeviceSlice>> streams;
  for (const DeviceSlice& slice : work.slices) {
    streams[events.tracks[events.track[slice.event]].stream].push_back(slice);
  }
  std::vector<std::vector<DeviceSlice>> by_step(static_cast<size_t>(std::max<int64_t>(steps, 0)));
  for (auto& [stream, slices] : streams) {
    if (by_step.empty() || slices.size() % by_step.size() != 0) {
      return Error{ErrorKind::kInvalid,
                   fmt::format("rank {}, stream {}: {} records of {} steps, which should be alike", work.rank, stream,
                               slices.size(), steps),
                   "records were lost, or a step did something that the others did not"};
    }
    std::sort(slices.begin(), slices.end(), earlier);
    const size_t each = slices.size() / by_step.size();
    for (size_t i = 0; i < slices.size(); ++i) {
      by_step[i / each].push_back(slices[i]);
    }
  }
  for (std::vector<DeviceSlice>& slices : by_step) {
    std::sort(slices.begin(), slices.end(), earlier);
  }
  return by_step;
}

}  // namespace aaco
