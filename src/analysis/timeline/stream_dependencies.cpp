// SPDX-License-Identifier: MIT
#include "analysis/timeline/stream_dependencies.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/timeline/lookup/event_arguments.h"

namespace aaco {

namespace {

// A stream or a call; the file writes -1 for none.
std::optional<int64_t> id_argument(const EventTable& events, size_t event, std::string_view key) {
  const auto id = integer_argument(events, event, key);
  return id && *id >= 0 ? id : std::nullopt;
}

int64_t stream_of(const EventTable& events, const DeviceSlice& slice) {
  return events.tracks[events.track[slice.event]].stream;
}

}  // namespace

RowGroups stream_order(const EventTable& events, const DeviceWork& work) {
  // Of this device's tracks alone: a trace may have as many devices as tracks.
  std::map<uint32_t, uint32_t> of_track;  // the number of its stream
  std::map<int64_t, uint32_t> numbers;    // of streams
  uint32_t last = UINT32_MAX;
  for (const DeviceSlice& slice : work.slices) {
    if (const uint32_t track = events.track[slice.event]; track != last) {
      of_track[track] = 0;
      numbers[events.tracks[track].stream] = 0;
      last = track;
    }
  }
  uint32_t next = 0;
  for (auto& [stream, number] : numbers) {
    number = next++;
  }
  for (auto& [track, number] : of_track) {
    number = numbers.at(events.tracks[track].stream);
  }
  RowGroups order(work.slices.size(), numbers.size(),
                  [&](size_t i) { return of_track.at(events.track[work.slices[i].event]); });
  order.sort([&](uint32_t a, uint32_t b) {
    const EventRow first = work.slices[a].event;
    const EventRow second = work.slices[b].event;
    return std::tuple(events.start_ns[first], events.duration_ns[first], first) <
           std::tuple(events.start_ns[second], events.duration_ns[second], second);
  });
  return order;
}

StreamDependencies::StreamDependencies(const EventTable& events, const DeviceWork& work, const LaunchIndex& launches,
                                       std::span<const uint32_t> order)
    : before_(work.slices.size(), kNone) {
  for (size_t i = 1; i < order.size(); ++i) {
    const int64_t stream = stream_of(events, work.slices[order[i]]);
    if (stream != kNoId && stream == stream_of(events, work.slices[order[i - 1]])) {
      before_[order[i]] = order[i - 1];
    }
  }
  if (!work.waits.empty()) {
    resolve_waits(events, work, launches);
  }
}

std::optional<size_t> StreamDependencies::before(size_t slice) const {
  return before_[slice] == kNone ? std::nullopt : std::optional<size_t>(before_[slice]);
}

std::span<const StreamDependencies::Wait> StreamDependencies::waits_of(size_t slice) const {
  const auto [first, behind] = std::equal_range(waits_.begin(), waits_.end(), Wait{static_cast<uint32_t>(slice), 0},
                                                [](const Wait& a, const Wait& b) { return a.waiter < b.waiter; });
  return {first, behind};
}

// The host's calls order what is done on one stream: launches, records and waits take effect as they were called.
void StreamDependencies::resolve_waits(const EventTable& events, const DeviceWork& work, const LaunchIndex& launches) {
  using Launch = std::tuple<int64_t, int64_t, size_t>;  // stream, start of the call, slice
  const auto launch_of = [&](uint32_t slice) {
    return Launch(stream_of(events, work.slices[slice]), events.start_ns[work.slices[slice].call], slice);
  };
  std::vector<uint32_t> launched;
  launched.reserve(work.slices.size());
  for (uint32_t i = 0; i < work.slices.size(); ++i) {
    if (work.slices[i].call != kNoEvent && stream_of(events, work.slices[i]) != kNoId) {
      launched.push_back(i);
    }
  }
  std::sort(launched.begin(), launched.end(), [&](uint32_t a, uint32_t b) { return launch_of(a) < launch_of(b); });
  for (const EventRow row : work.waits) {
    const int64_t stream = events.tracks[events.track[row]].stream;
    const auto record_id = id_argument(events, row, "wait_on_cuda_event_record_corr_id");
    const auto other = id_argument(events, row, "wait_on_stream");
    const auto record =
        record_id ? launches.call_of(events.track[row], *record_id, events.start_ns[row]) : std::nullopt;
    const auto wait = launches.call_of(events.track[row], events.correlation[row], events.start_ns[row]);
    if (!record || !other || !wait || stream == kNoId || *other == stream) {
      continue;
    }
    const auto waiter =
        std::upper_bound(launched.begin(), launched.end(), Launch(stream, events.start_ns[*wait], SIZE_MAX),
                         [&](const Launch& wanted, uint32_t slice) { return wanted < launch_of(slice); });
    const auto behind =
        std::lower_bound(launched.begin(), launched.end(), Launch(*other, events.start_ns[*record], 0),
                         [&](uint32_t slice, const Launch& wanted) { return launch_of(slice) < wanted; });
    if (waiter != launched.end() && stream_of(events, work.slices[*waiter]) == stream && behind != launched.begin() &&
        stream_of(events, work.slices[*std::prev(behind)]) == *other) {
      waits_.push_back({*waiter, *std::prev(behind)});
    }
  }
  std::sort(waits_.begin(), waits_.end(), [](const Wait& a, const Wait& b) {
    return std::tie(a.waiter, a.waited_for) < std::tie(b.waiter, b.waited_for);
  });
}

}  // namespace aaco
