// SPDX-License-Identifier: MIT
#include "analysis/timeline/stream_dependencies.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "analysis/timeline/event_arguments.h"

namespace aaco {

namespace {

// A stream or a call; the file writes -1 for none.
std::optional<int64_t> id_argument(const EventTable& events, size_t event, std::string_view key) {
  const auto id = integer_argument(events, event, key);
  return id && *id >= 0 ? id : std::nullopt;
}

}  // namespace

StreamDependencies::StreamDependencies(const EventTable& events, const DeviceWork& work, const LaunchIndex& launches)
    : order_(work.slices.size()), place_(work.slices.size()) {
  for (const DeviceSlice& slice : work.slices) {
    stream_.push_back(events.tracks[events.track[slice.event]].stream);
  }
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
    const auto key = [&](uint32_t i) {
      return std::tuple(stream_[i], work.slices[i].span.start_ns, work.slices[i].span.end_ns, work.slices[i].event);
    };
    return key(a) < key(b);
  });
  for (uint32_t i = 0; i < order_.size(); ++i) {
    place_[order_[i]] = i;
  }
  if (!work.waits.empty()) {
    resolve_waits(events, work, launches);
  }
}

std::optional<size_t> StreamDependencies::before(size_t slice) const {
  const size_t place = place_[slice];
  return place > 0 && stream_[slice] != kNoId && stream_[order_[place - 1]] == stream_[slice]
             ? std::optional<size_t>(order_[place - 1])
             : std::nullopt;
}

std::optional<size_t> StreamDependencies::after(size_t slice) const {
  const size_t place = place_[slice] + size_t{1};
  return place < order_.size() && stream_[slice] != kNoId && stream_[order_[place]] == stream_[slice]
             ? std::optional<size_t>(order_[place])
             : std::nullopt;
}

std::span<const StreamDependencies::Wait> StreamDependencies::waits_of(size_t slice) const {
  const auto [first, behind] = std::equal_range(waits_.begin(), waits_.end(), Wait{slice, 0},
                                                [](const Wait& a, const Wait& b) { return a.waiter < b.waiter; });
  return {first, behind};
}

// The host's calls order what is done on one stream: launches, records and waits take effect as they were called.
void StreamDependencies::resolve_waits(const EventTable& events, const DeviceWork& work, const LaunchIndex& launches) {
  using Launch = std::tuple<int64_t, int64_t, size_t>;  // stream, start of the call, slice
  std::vector<Launch> launched;
  for (size_t i = 0; i < work.slices.size(); ++i) {
    if (const auto call = launches.launch_of(events, work.slices[i].event); call && stream_[i] != kNoId) {
      launched.emplace_back(stream_[i], events.start_ns[*call], i);
    }
  }
  std::sort(launched.begin(), launched.end());
  for (const uint64_t row : work.waits) {
    const Track& track = events.tracks[events.track[row]];
    const auto record_id = id_argument(events, row, "wait_on_cuda_event_record_corr_id");
    const auto other = id_argument(events, row, "wait_on_stream");
    const auto record = record_id ? launches.call_of(track, *record_id) : std::nullopt;
    const auto wait = launches.launch_of(events, row);
    if (!record || !other || !wait || track.stream == kNoId || *other == track.stream) {
      continue;
    }
    const auto waiter =
        std::upper_bound(launched.begin(), launched.end(), Launch(track.stream, events.start_ns[*wait], SIZE_MAX));
    const auto behind = std::lower_bound(launched.begin(), launched.end(), Launch(*other, events.start_ns[*record], 0));
    if (waiter != launched.end() && std::get<0>(*waiter) == track.stream && behind != launched.begin() &&
        std::get<0>(*std::prev(behind)) == *other) {
      waits_.push_back({std::get<2>(*waiter), std::get<2>(*std::prev(behind))});
    }
  }
  std::sort(waits_.begin(), waits_.end(), [](const Wait& a, const Wait& b) {
    return std::tie(a.waiter, a.waited_for) < std::tie(b.waiter, b.waited_for);
  });
}

}  // namespace aaco
