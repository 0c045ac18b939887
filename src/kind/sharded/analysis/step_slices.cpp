// SPDX-License-Identifier: MIT
#include "kind/sharded/analysis/step_slices.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <utility>

namespace aaco {

namespace {

using RecordCounts = std::map<std::pair<EventKind, std::string_view>, int64_t>;

RecordCounts counts_of(const EventTable& events, const std::vector<DeviceSlice>& slices) {
  RecordCounts counts;
  for (const DeviceSlice& slice : slices) {
    ++counts[{events.kind[slice.event], events.strings[events.name[slice.event]]}];
  }
  return counts;
}

// A record lost in one step and one too many in another leave a stream's number as it was, and what is between them
// would count for a step that is not its own. Order and stream are not looked at: of commands that wait for none of the
// others, a captured graph decides them anew.
Result<void> expect_same_records(const EventTable& events, const std::vector<std::vector<DeviceSlice>>& by_step,
                                 int64_t rank) {
  const RecordCounts first = counts_of(events, by_step.front());
  for (size_t step = 1; step < by_step.size(); ++step) {
    RecordCounts more = counts_of(events, by_step[step]);
    for (const auto& [record, count] : first) {
      more[record] -= count;
    }
    const auto other = std::ranges::find_if(more, [](const auto& entry) { return entry.second != 0; });
    if (other != more.end()) {
      return Error{ErrorKind::kInvalid,
                   fmt::format("rank {}: step {} has {} of \"{}\" {} than the first", rank, step + 1,
                               std::abs(other->second), other->first.second, other->second > 0 ? "more" : "fewer"),
                   "records were lost, or a step did something that the others did not"};
    }
  }
  return {};
}

}  // namespace

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
  if (!by_step.empty()) {
    AACO_TRY(expect_same_records(events, by_step, work.rank));
  }
  for (std::vector<DeviceSlice>& slices : by_step) {
    std::sort(slices.begin(), slices.end(), earlier);
  }
  return by_step;
}

}  // namespace aaco
