// SPDX-License-Identifier: MIT
#include "analysis/timeline/critical_path/device_waits.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/timeline/lookup/event_arguments.h"
#include "analysis/timeline/waiting_call.h"

namespace aaco {

namespace {

using Rank = std::pair<uint32_t, int64_t>;  // recording and rank

// What a record on the device's side says of a call that waited.
struct WaitRecord {
  EventRow call = 0;
  int64_t stream = kNoId;       // which it waited for; any where kNoId
  int64_t launched_ns = kNoId;  // only what was launched by then; by the call's start where kNoId
};

// Of slices by end, the last that ended after `span`'s start, not after its end, and was launched by `launched_ns`.
template <class Slice, class SliceOf, class Accept>
std::optional<Slice> last_ended(const EventTable& events, std::span<const Slice> by_end, const Span& span,
                                int64_t launched_ns, uint64_t& steps_left, SliceOf slice_of, Accept accept) {
  auto next = std::upper_bound(by_end.begin(), by_end.end(), span.end_ns, [&](int64_t time_ns, const Slice& slice) {
    return time_ns < events.end_ns(slice_of(slice).event);
  });
  for (; next != by_end.begin() && steps_left > 0; --next, --steps_left) {
    const Slice& slice = *std::prev(next);
    if (events.end_ns(slice_of(slice).event) <= span.start_ns) {
      break;
    }
    const HostPoint launched = launch_point(events, slice_of(slice));
    if ((launched.track == HostPoint::kNoTrack || launched.time_ns <= launched_ns) && accept(slice)) {
      return slice;
    }
  }
  return std::nullopt;
}

// Slices of one device by end.
class SlicesByEnd {
 public:
  SlicesByEnd(const EventTable& events, const DeviceWork& work)
      : events_(events), slices_(work.slices), order_(work.slices.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    const auto earlier = [&](uint32_t a, uint32_t b) { return std::pair(end_ns(a), a) < std::pair(end_ns(b), b); };
    if (!std::is_sorted(order_.begin(), order_.end(), earlier)) {  // of one stream they are
      std::sort(order_.begin(), order_.end(), earlier);
    }
  }

  template <class Accept>
  std::optional<uint32_t> last(const Span& span, int64_t launched_ns, uint64_t& steps_left, Accept accept) const {
    return last_ended(
        events_, std::span<const uint32_t>(order_), span, launched_ns, steps_left,
        [&](uint32_t slice) -> const DeviceSlice& { return slices_[slice]; }, accept);
  }

 private:
  int64_t end_ns(uint32_t slice) const { return events_.end_ns(slices_[slice].event); }

  const EventTable& events_;
  std::span<const DeviceSlice> slices_;
  std::vector<uint32_t> order_;
};

class WaitFinder {
 public:
  WaitFinder(const EventTable& events, const LaunchIndex& launches, std::span<const DeviceWork> devices,
             std::span<const StreamDependencies> dependencies)
      : events_(events),
        launches_(launches),
        devices_(devices),
        dependencies_(dependencies),
        steps_left_(1'000 + 16 * events.size()) {}

  DeviceWaits run() {
    index();
    for (size_t i = 0; i < events_.size(); ++i) {
      if (events_.kind[i] == EventKind::kHostCall && events_.shape[i] == EventShape::kSlice) {
        look_at(i);
      }
    }
    const auto key = [&](const DeviceWaits::OfHost& wait) {
      return std::tuple(events_.track[wait.call], events_.end_ns(wait.call), wait.device, wait.slice);
    };
    std::sort(found_.host.begin(), found_.host.end(),
              [&](const DeviceWaits::OfHost& a, const DeviceWaits::OfHost& b) { return key(a) < key(b); });
    std::sort(found_.stream.begin(), found_.stream.end());
    return std::move(found_);
  }

 private:
  enum class Call : uint8_t { kOther, kWaits, kOrders };
  struct LaunchedSlice {
    uint32_t device;
    uint32_t slice;
  };
  struct RankDevices {
    std::vector<uint32_t> devices;
    // Slices of all, of several that end at once that of the first device last; made when it is needed. Searched once
    // for a wait, whatever the number of devices.
    std::optional<std::vector<LaunchedSlice>> by_end;
  };

  void index();
  void add_records(const DeviceWork& device);
  void look_at(size_t call);
  void add_host_wait(size_t call);
  void add_stream_wait(size_t call);
  std::span<const LaunchedSlice> by_end_of(RankDevices& rank) const;
  const std::vector<LaunchedSlice>& launched();
  const DeviceSlice& slice(const LaunchedSlice& launch) const { return devices_[launch.device].slices[launch.slice]; }
  int64_t stream_of(uint32_t device, uint32_t slice) const {
    return events_.tracks[events_.track[devices_[device].slices[slice].event]].stream;
  }

  const EventTable& events_;
  const LaunchIndex& launches_;
  std::span<const DeviceWork> devices_;
  std::span<const StreamDependencies> dependencies_;
  uint64_t steps_left_;  // of all searches together
  std::vector<SlicesByEnd> by_end_;
  std::map<Rank, RankDevices> devices_of_;
  std::vector<WaitRecord> records_;  // by call
  std::unordered_map<StringId, Call> calls_;
  std::optional<std::vector<LaunchedSlice>> launched_;  // by launch_point(); made when it is needed
  DeviceWaits found_;
};

void WaitFinder::index() {
  for (uint32_t device = 0; device < devices_.size(); ++device) {
    const DeviceWork& work = devices_[device];
    by_end_.emplace_back(events_, work);
    devices_of_[{work.recording, work.rank}].devices.push_back(device);
    add_records(work);
  }
  std::sort(records_.begin(), records_.end(), [](const WaitRecord& a, const WaitRecord& b) { return a.call < b.call; });
}

void WaitFinder::add_records(const DeviceWork& device) {
  for (const EventRow row : device.waits) {
    const auto call = launches_.call_of(events_.track[row], events_.correlation[row], events_.start_ns[row]);
    if (!call) {
      continue;
    }
    WaitRecord record{static_cast<EventRow>(*call), events_.tracks[events_.track[row]].stream, kNoId};
    record.stream = record.stream < 0 ? kNoId : record.stream;
    const auto other = integer_argument(events_, row, "wait_on_stream");
    const auto recorded = integer_argument(events_, row, "wait_on_cuda_event_record_corr_id");
    const auto its_call = recorded && *recorded >= 0
                              ? launches_.call_of(events_.track[row], *recorded, events_.start_ns[row])
                              : std::nullopt;
    if (other && *other >= 0 && its_call) {
      record.stream = *other;
      record.launched_ns = events_.start_ns[*its_call];
    }
    records_.push_back(record);
  }
}

void WaitFinder::look_at(size_t call) {
  const auto [known, added] = calls_.try_emplace(events_.name[call], Call::kOther);
  if (added) {
    const std::string_view name = events_.strings[events_.name[call]];
    known->second = waits_for_device(name) ? Call::kWaits : orders_streams(name) ? Call::kOrders : Call::kOther;
  }
  if (known->second == Call::kWaits) {
    add_host_wait(call);
  } else if (known->second == Call::kOrders) {
    add_stream_wait(call);
  }
}

void WaitFinder::add_host_wait(size_t call) {
  const Track& track = events_.tracks[events_.track[call]];
  const auto devices = devices_of_.find({track.recording, track.rank});
  if (devices == devices_of_.end()) {
    return;
  }
  WaitRecord record;
  const auto known = std::lower_bound(records_.begin(), records_.end(), call,
                                      [](const WaitRecord& a, uint64_t wanted) { return a.call < wanted; });
  if (known != records_.end() && known->call == call) {
    record = *known;
  }
  const int64_t launched_ns = record.launched_ns == kNoId ? events_.start_ns[call] : record.launched_ns;
  const Span span{events_.start_ns[call], events_.end_ns(call)};
  const auto is_waited_for = [&](uint32_t device, uint32_t slice) {
    return record.stream == kNoId || stream_of(device, slice) == record.stream;
  };
  if (devices->second.devices.size() == 1) {
    const uint32_t device = devices->second.devices.front();
    if (const auto last = by_end_[device].last(span, launched_ns, steps_left_,
                                               [&](uint32_t slice) { return is_waited_for(device, slice); })) {
      found_.host.push_back({static_cast<EventRow>(call), device, *last});
    }
  } else if (const auto last = last_ended(
                 events_, by_end_of(devices->second), span, launched_ns, steps_left_,
                 [&](const LaunchedSlice& launched) -> const DeviceSlice& { return slice(launched); },
                 [&](const LaunchedSlice& launched) { return is_waited_for(launched.device, launched.slice); })) {
    found_.host.push_back({static_cast<EventRow>(call), last->device, last->slice});
  }
}

std::span<const WaitFinder::LaunchedSlice> WaitFinder::by_end_of(RankDevices& rank) const {
  if (!rank.by_end) {
    rank.by_end.emplace();
    for (const uint32_t device : rank.devices) {
      for (uint32_t index = 0; index < devices_[device].slices.size(); ++index) {
        rank.by_end->push_back({device, index});
      }
    }
    const auto key = [&](const LaunchedSlice& launched) {
      return std::tuple(events_.end_ns(slice(launched).event), UINT32_MAX - launched.device, launched.slice);
    };
    std::sort(rank.by_end->begin(), rank.by_end->end(),
              [&](const LaunchedSlice& a, const LaunchedSlice& b) { return key(a) < key(b); });
  }
  return *rank.by_end;
}

const std::vector<WaitFinder::LaunchedSlice>& WaitFinder::launched() {
  if (!launched_) {
    launched_.emplace();
    for (uint32_t device = 0; device < devices_.size(); ++device) {
      for (uint32_t index = 0; index < devices_[device].slices.size(); ++index) {
        if (launch_point(events_, slice({device, index})).track != HostPoint::kNoTrack) {
          launched_->push_back({device, index});
        }
      }
    }
    const auto key = [&](const LaunchedSlice& launch) {
      return std::tuple(launch_point(events_, slice(launch)), launch.device, launch.slice);
    };
    std::sort(launched_->begin(), launched_->end(),
              [&](const LaunchedSlice& a, const LaunchedSlice& b) { return key(a) < key(b); });
  }
  return *launched_;
}

void WaitFinder::add_stream_wait(size_t call) {
  const HostPoint returned{events_.track[call], events_.end_ns(call)};
  const auto next = std::lower_bound(
      launched().begin(), launched().end(), returned,
      [&](const LaunchedSlice& a, const HostPoint& wanted) { return launch_point(events_, slice(a)) < wanted; });
  if (next == launched().end()) {
    return;
  }
  const HostPoint launched_at = launch_point(events_, slice(*next));
  const StreamDependencies& dependencies = dependencies_[next->device];
  const int64_t stream = stream_of(next->device, next->slice);
  if (launched_at.track != returned.track || stream == kNoId || !dependencies.waits_of(next->slice).empty()) {
    return;
  }
  // Only what ended after all else that the slice is known to have waited for.
  const auto before = dependencies.before(next->slice);
  const int64_t before_ns = before ? events_.end_ns(devices_[next->device].slices[*before].event) : launched_at.time_ns;
  const Span span{std::max(launched_at.time_ns, before_ns), events_.start_ns[slice(*next).event]};
  const auto last = by_end_[next->device].last(span, events_.start_ns[call], steps_left_, [&](uint32_t candidate) {
    return stream_of(next->device, candidate) != stream;
  });
  if (last) {
    found_.stream.push_back({next->device, next->slice, *last});
  }
}

}  // namespace

HostPoint launch_point(const EventTable& events, const DeviceSlice& slice) {
  if (slice.call == kNoEvent || events.shape[slice.call] != EventShape::kSlice) {
    return {};
  }
  const int64_t start_ns = events.start_ns[slice.event];
  const bool returned = events.end_ns(slice.call) <= start_ns;
  const int64_t time_ns = returned ? events.end_ns(slice.call) : events.start_ns[slice.call];
  return time_ns <= start_ns ? HostPoint{events.track[slice.call], time_ns} : HostPoint{};
}

DeviceWaits device_waits(const EventTable& events, const LaunchIndex& launches, std::span<const DeviceWork> devices,
                         std::span<const StreamDependencies> dependencies) {
  return WaitFinder(events, launches, devices, dependencies).run();
}

}  // namespace aaco
