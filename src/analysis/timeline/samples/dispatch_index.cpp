// SPDX-License-Identifier: MIT
#include "analysis/timeline/samples/dispatch_index.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace aaco {

DispatchIndex::DispatchIndex(const EventTable& events, const SampleReader& reader) : events_(events) {
  std::map<std::pair<uint32_t, StringId>, uint32_t> processes;
  for (const Track& track : events.tracks) {
    const auto next = static_cast<uint32_t>(processes.size());
    process_of_track_.push_back(processes.try_emplace({track.recording, track.process}, next).first->second);
  }
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.kind[i] != EventKind::kKernel) {
      continue;
    }
    const auto row = static_cast<EventRow>(i);
    const uint32_t process = process_of_track_[events.track[i]];
    if (const auto dispatch = reader.dispatch_of(i)) {
      by_dispatch_.push_back({process, row, *dispatch});
    } else if (events.correlation[i] != kNoId && events.correlation[i] != 0) {  // 0 is written for none
      by_correlation_.push_back({process, row, events.correlation[i]});
    }
  }
  sort(by_dispatch_);
  sort(by_correlation_);
}

void DispatchIndex::sort(Entries& entries) {
  const auto view = entries.view();
  std::sort(view.begin(), view.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.process, a.id, a.row) < std::tie(b.process, b.id, b.row);
  });
}

DispatchIndex::Kernel DispatchIndex::find(const Entries& entries, uint32_t process, int64_t id) const {
  const auto view = entries.view();
  auto at = std::lower_bound(view.begin(), view.end(), std::pair(process, id), [](const Entry& entry, const auto& key) {
    return std::pair(entry.process, entry.id) < key;
  });
  Kernel kernel;
  for (; at != view.end() && at->process == process && at->id == id; ++at) {
    const auto identity = [&](EventRow row) {
      const Track& track = events_.tracks[events_.track[row]];
      return std::tuple(events_.name[row], track.rank, track.device);
    };
    if (kernel.matches == MatchCount::kOne && identity(kernel.row) != identity(at->row)) {
      return {MatchCount::kSeveral, kNoEvent};
    }
    if (kernel.matches == MatchCount::kNone) {
      kernel = {MatchCount::kOne, at->row};
    }
  }
  return kernel;
}

DispatchIndex::Kernel DispatchIndex::kernel_of(EventRow event, const PcSample& sample) const {
  const uint32_t process = process_of_track_[events_.track[event]];
  const Kernel kernel = sample.dispatch ? find(by_dispatch_, process, *sample.dispatch) : Kernel();
  const int64_t correlation = events_.correlation[event];
  return kernel.matches == MatchCount::kNone && correlation != kNoId ? find(by_correlation_, process, correlation)
                                                                     : kernel;
}

}  // namespace aaco
