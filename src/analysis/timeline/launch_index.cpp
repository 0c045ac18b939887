// SPDX-License-Identifier: MIT
#include "analysis/timeline/launch_index.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

namespace aaco {

namespace {

std::vector<uint32_t> ranks_of_tracks(const EventTable& events) {
  std::map<std::pair<uint32_t, int64_t>, uint32_t> ranks;
  std::vector<uint32_t> of_track;
  for (const Track& track : events.tracks) {
    const auto next = static_cast<uint32_t>(ranks.size());
    of_track.push_back(ranks.try_emplace({track.recording, track.rank}, next).first->second);
  }
  return of_track;
}

// CUPTI, roctracer and rocprofiler count from 1; Kineto and rocpd write 0 where there is none.
bool is_id(int64_t correlation) { return correlation != kNoId && correlation != 0; }

bool is_of_device(const Track& track) { return track.device != kNoId || track.stream != kNoId; }

// Kineto calls the lanes of a device by the device's number: that is no process, although one may have the same number.
bool is_named_by_device(const EventTable& events, const Track& track) {
  return track.device != kNoId && events.strings[track.process] == std::to_string(track.device);
}

// Of these formats what ran on a device names its process as the calls do; Chrome's and Perfetto's name lanes at will.
bool is_named_by_process(const EventTable& events, const Track& track) {
  static constexpr std::string_view kFormats[] = {"nsys", "rocpd", "rocprofv3-csv", "rocprofv3-json"};
  return track.process != kEmptyString && track.recording < events.recordings.size() &&
         std::find(std::begin(kFormats), std::end(kFormats), events.recordings[track.recording].format) !=
             std::end(kFormats);
}

}  // namespace

LaunchIndex::LaunchIndex(const EventTable& events)
    : events_(events),
      rank_of_track_(ranks_of_tracks(events)),
      track_has_calls_(events.tracks.size()),
      calls_(events.size(), events.tracks.size(), [&](size_t i) {
        if (events.kind[i] != EventKind::kHostCall || !is_id(events.correlation[i]) ||
            events.shape[i] == EventShape::kUntimed) {
          return RowGroups::kNone;
        }
        track_has_calls_[events.track[i]] = true;
        return rank_of_track_[events.track[i]];
      }) {
  number_processes();
  calls_.sort([&](EventRow a, EventRow b) {
    if (events.correlation[a] != events.correlation[b]) {
      return events.correlation[a] < events.correlation[b];
    }
    return std::tuple(process_of_track_[events.track[a]], events.start_ns[a], a) <
           std::tuple(process_of_track_[events.track[b]], events.start_ns[b], b);
  });
}

void LaunchIndex::number_processes() {
  std::map<std::pair<uint32_t, StringId>, uint32_t> processes;  // by rank: those with calls
  std::vector<uint32_t> of_rank(events_.tracks.size());
  const size_t tracks = events_.tracks.size();
  for (size_t i = 0; i < tracks; ++i) {
    if (track_has_calls_[i]) {
      const auto next = static_cast<uint32_t>(processes.size());
      of_rank[rank_of_track_[i]] +=
          processes.try_emplace({rank_of_track_[i], events_.tracks[i].process}, next).second ? 1 : 0;
    }
  }
  for (const uint32_t count : of_rank) {
    has_one_process_.push_back(count <= 1);
  }
  for (size_t i = 0; i < tracks; ++i) {
    const Track& track = events_.tracks[i];
    const auto found = processes.find({rank_of_track_[i], track.process});
    const bool by_process = !is_of_device(track) || is_named_by_process(events_, track);
    if (found != processes.end() && (by_process || !is_named_by_device(events_, track))) {
      process_of_track_.push_back(found->second);
    } else {
      process_of_track_.push_back(by_process ? kNoProcess : kAnyProcess);
    }
  }
}

FoundLaunch LaunchIndex::launch_of(size_t event) const {
  return find(events_.track[event], events_.correlation[event], events_.start_ns[event]);
}

std::optional<size_t> LaunchIndex::call_of(uint32_t track, int64_t correlation, int64_t at_ns) const {
  const FoundLaunch found = find(track, correlation, at_ns);
  return found.call == kNoEvent ? std::nullopt : std::optional<size_t>(found.call);
}

EventRow LaunchIndex::innermost(size_t call) const {
  return find(events_.track[call], events_.correlation[call], events_.end_ns(call)).call;
}

bool LaunchIndex::lies_within(EventRow inner, EventRow outer) const {
  return events_.track[inner] == events_.track[outer] && events_.start_ns[inner] >= events_.start_ns[outer] &&
         events_.start_ns[inner] <= events_.end_ns(outer);
}

bool LaunchIndex::has_id_of(EventRow call, EventRow other) const {
  return events_.correlation[call] == events_.correlation[other] &&
         process_of_track_[events_.track[call]] == process_of_track_[events_.track[other]];
}

std::span<const EventRow> LaunchIndex::same_id(EventRow call) const {
  const std::span<const EventRow> calls = calls_.of(rank_of_track_[events_.track[call]]);
  const auto key = [&](EventRow row) {
    return std::pair(events_.correlation[row], process_of_track_[events_.track[row]]);
  };
  const auto [first, behind] =
      std::equal_range(calls.begin(), calls.end(), call, [&](EventRow a, EventRow b) { return key(a) < key(b); });
  return {first, behind};
}

// One search where the rank has one process, as nearly all have; else one for each process that has the id.
FoundLaunch LaunchIndex::find(uint32_t track, int64_t correlation, int64_t until_ns) const {
  FoundLaunch found;
  if (!is_id(correlation)) {
    return found;
  }
  const std::span<const EventRow> calls = calls_.of(rank_of_track_[track]);
  const uint32_t owner = process_of_track_[track];
  const bool one_process = has_one_process_[rank_of_track_[track]];
  const auto behind_of = [&](auto from, uint32_t process) {
    return std::upper_bound(from, calls.end(), until_ns, [&](int64_t wanted_ns, EventRow call) {
      const int64_t its = events_.correlation[call];
      if (its != correlation) {
        return correlation < its;
      }
      const uint32_t its_process = process_of_track_[events_.track[call]];
      return one_process || its_process == process ? wanted_ns < events_.start_ns[call] : process < its_process;
    });
  };
  const auto is_it = [&](auto at, uint32_t process) {
    return events_.correlation[*at] == correlation && (one_process || process_of_track_[events_.track[*at]] == process);
  };
  const auto look_at = [&](auto behind, uint32_t process) {  // false where it is ambiguous
    if (behind != calls.begin() && is_it(std::prev(behind), process)) {
      if (found.link == LaunchLink::kLinked) {
        return false;
      }
      const auto at = std::prev(behind);
      found = {*at, LaunchLink::kLinked, false};
      found.id_came_again =
          (at != calls.begin() && has_id_of(*at, *std::prev(at)) && !lies_within(*at, *std::prev(at))) ||
          (behind != calls.end() && has_id_of(*at, *behind) && !lies_within(*behind, *at));
    } else if (behind != calls.end() && is_it(behind, process) && found.link == LaunchLink::kNoCall) {
      found = {*behind, LaunchLink::kBeforeCall, false};
    }
    return true;
  };
  if (owner == kNoProcess) {
    return found;
  }
  if (one_process || owner != kAnyProcess) {
    look_at(behind_of(calls.begin(), owner), owner);
    return found;
  }
  auto at = std::lower_bound(calls.begin(), calls.end(), correlation,
                             [&](EventRow call, int64_t wanted) { return events_.correlation[call] < wanted; });
  while (at != calls.end() && events_.correlation[*at] == correlation) {
    const uint32_t process = process_of_track_[events_.track[*at]];
    if (!look_at(behind_of(at, process), process)) {
      return {kNoEvent, LaunchLink::kAmbiguous, false};
    }
    at = std::partition_point(at, calls.end(), [&](EventRow call) {
      return events_.correlation[call] == correlation && process_of_track_[events_.track[call]] <= process;
    });
  }
  return found;
}

}  // namespace aaco
