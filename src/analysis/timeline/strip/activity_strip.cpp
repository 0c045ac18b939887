// SPDX-License-Identifier: MIT
#include "analysis/timeline/strip/activity_strip.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "analysis/timeline/device_work.h"
#include "analysis/timeline/host_timeline.h"
#include "analysis/timeline/idle_causes.h"
#include "analysis/timeline/lookup/row_groups.h"
#include "analysis/timeline/stream_dependencies.h"
#include "analysis/timeline/time_budget.h"
#include "base/interrupt.h"

namespace aaco {

namespace {

Activity activity_of(IdleCause cause) {
  switch (cause) {
    case IdleCause::kLaunchStarved:
    case IdleCause::kHostWaits:
    case IdleCause::kHostCall:
    case IdleCause::kHostOperator:
    case IdleCause::kHostRange:
      return Activity::kHostHolds;
    case IdleCause::kAfterCommunication:
    case IdleCause::kAfterCopy:
    case IdleCause::kAfterOtherStream:
    case IdleCause::kTurnaround:
      return Activity::kDeviceHolds;
    case IdleCause::kUnexplained:
    case IdleCause::kNoLaunch:
      break;
  }
  return Activity::kNotExplained;
}

// The time of one picture in parts, and how much each activity took of each.
class Parts {
 public:
  explicit Parts(const Span& picture)
      : picture_(picture), part_ns_((picture.end_ns - picture.start_ns) / ActivityStrips::kParts + 1) {}

  // Of one activity spans that are disjoint.
  void add(Activity activity, const Span& span) {
    int64_t from_ns = span.start_ns - picture_.start_ns;
    const int64_t end_ns = span.end_ns - picture_.start_ns;
    for (auto part = static_cast<size_t>(from_ns / part_ns_); from_ns < end_ns; ++part) {
      const int64_t until_ns = std::min(end_ns, static_cast<int64_t>(part + 1) * part_ns_);
      shares_ns_[part][static_cast<size_t>(activity)] += until_ns - from_ns;
      from_ns = until_ns;
    }
  }

  // Neighbours of one activity as one span; a part that the device's window only touches is no longer than that.
  std::vector<ActivitySpan> spans(const Span& window) const {
    std::vector<ActivitySpan> spans;
    for (size_t part = 0; part < shares_ns_.size(); ++part) {
      const auto& shares = shares_ns_[part];
      const auto most = std::max_element(shares.begin(), shares.end());
      if (*most == 0) {
        continue;
      }
      const auto activity = static_cast<Activity>(most - shares.begin());
      const int64_t start_ns = std::max(static_cast<int64_t>(part) * part_ns_, window.start_ns - picture_.start_ns);
      const int64_t end_ns = std::min(static_cast<int64_t>(part + 1) * part_ns_, window.end_ns - picture_.start_ns);
      if (!spans.empty() && spans.back().activity == activity && spans.back().end_ns == start_ns) {
        spans.back().end_ns = end_ns;
      } else {
        spans.push_back({start_ns, end_ns, activity});
      }
    }
    return spans;
  }

 private:
  Span picture_;
  int64_t part_ns_;
  std::array<std::array<int64_t, kActivities>, ActivityStrips::kParts> shares_ns_ = {};
};

Span window_of(const EventTable& events, const DeviceWork& work) {
  Span window{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  for (const DeviceSlice& slice : work.slices) {
    const Span span = span_of(events, slice);
    window = {std::min(window.start_ns, span.start_ns), std::max(window.end_ns, span.end_ns)};
  }
  return window;
}

Span joined(const Span& a, const Span& b) { return {std::min(a.start_ns, b.start_ns), std::max(a.end_ns, b.end_ns)}; }

// Of each device the time that its picture shows: that of all, or, where recordings do not overlap, of its recording.
std::vector<Span> pictures_of(const std::vector<DeviceWork>& devices, const std::vector<Span>& windows,
                              ActivityStrips& strips) {
  std::map<uint32_t, Span> by_recording;
  Span all = windows.front();
  for (size_t i = 0; i < devices.size(); ++i) {
    const auto [known, added] = by_recording.try_emplace(devices[i].recording, windows[i]);
    known->second = joined(known->second, windows[i]);
    all = joined(all, windows[i]);
  }
  int64_t longest_ns = 0;
  for (const auto& [recording, span] : by_recording) {
    longest_ns = std::max(longest_ns, span.end_ns - span.start_ns);
  }
  strips.own_starts = all.end_ns - all.start_ns > 2 * longest_ns;
  std::vector<Span> pictures;
  for (const DeviceWork& work : devices) {
    const int64_t start_ns = by_recording.at(work.recording).start_ns;
    pictures.push_back(strips.own_starts ? Span{start_ns, start_ns + longest_ns} : all);
  }
  return pictures;
}

}  // namespace

ActivityStrips activity_strips(const EventTable& events) {
  ActivityStrips strips;
  const LaunchIndex launches(events);
  std::vector<DeviceWork> devices = device_work(events, launches);
  strips.devices_in_all = devices.size();
  if (devices.empty()) {
    return strips;
  }
  const size_t most_parts = 1'000 + 64 * events.size() / devices.size();  // as trace_summary.cpp bounds it
  devices.resize(std::min(devices.size(), ActivityStrips::kMostDevices));
  const HostTimeline host(events, kHostKinds);
  std::vector<Span> windows;
  for (const DeviceWork& work : devices) {
    windows.push_back(window_of(events, work));
  }
  const std::vector<Span> pictures = pictures_of(devices, windows, strips);
  for (size_t i = 0; i < devices.size(); ++i) {
    end_if_interrupted();
    const DeviceWork& work = devices[i];
    Parts parts(pictures[i]);
    const TimeBudget budget = time_budget(events, work.slices);
    for (const auto& [activity, set] : {std::pair{Activity::kComputation, &budget.computation},
                                        std::pair{Activity::kCommunication, &budget.exposed_communication},
                                        std::pair{Activity::kCopy, &budget.exposed_copy}}) {
      for (const Span& span : *set) {
        parts.add(activity, span);
      }
    }
    const RowGroups order = stream_order(events, work);
    const StreamDependencies dependencies(events, work, launches, order.all());
    idle_causes({events, host, most_parts}, work, dependencies, budget.idle,
                [&](IdleCause cause, const Span& span) { parts.add(activity_of(cause), span); });
    strips.devices.push_back({work.recording, work.rank, work.device, parts.spans(budget.shares.window)});
  }
  return strips;
}

}  // namespace aaco
