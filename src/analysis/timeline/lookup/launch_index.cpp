// SPDX-License-Identifier: MIT
#include "analysis/timeline/lookup/launch_index.h"

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
  find_shared_ids();
}

void LaunchIndex::find_shared_ids() {
  const size_t ranks = has_one_process_.size();
  for (size_t rank = 0; rank < ranks; ++rank) {
    const std::span<const EventRow> calls = has_one_process_[rank] ? std::span<const EventRow>() : calls_.group(rank);
    for (size_t first = 0, behind = 0; first < calls.size(); first = behind) {
      SharedId id{static_cast<uint32_t>(rank), events_.correlation[calls[first]], calls[first], INT64_MAX};
      bool is_shared = false;
      for (; behind < calls.size() && events_.correlation[calls[behind]] == id.correlation; ++behind) {
        const EventRow call = calls[behind];
        if (behind == first || has_id_of(call, calls[behind - 1])) {
          continue;  // only the first call of each process
        }
        is_shared = true;
        const int64_t earliest_ns = events_.start_ns[id.first];
        id.second_ns = std::min(id.second_ns, std::max(earliest_ns, events_.start_ns[call]));
        id.first = events_.start_ns[call] < earliest_ns ? call : id.first;
      }
      if (is_shared) {
        shared_ids_.push_back(id);
      }
    }
  }
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
    const auto process = processes.find({rank_of_track_[i], track.process});
    const bool by_process = !is_of_device(track) || is_named_by_process(events_, track);
    if (process != processes.end() && (by_process || !is_named_by_device(events_, track))) {
      process_of_track_.push_back(process->second);
    } else {
      process_of_track_.push_back(by_process ? kNoProcess : kAnyProcess);
    }
  }
}

LaunchMatch LaunchIndex::launch_of(size_t event) const {
  return find(events_.track[event], events_.correlation[event], events_.start_ns[event]);
}

std::optional<size_t> LaunchIndex::call_of(uint32_t track, int64_t correlation, int64_t at_ns) const {
  const LaunchMatch launch_match = find(track, correlation, at_ns);
  return launch_match.call == kNoEvent ? std::nullopt : std::optional<size_t>(launch_match.call);
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
  const std::span<const EventRow> calls = calls_.group(rank_of_track_[events_.track[call]]);
  const auto key = [&](EventRow row) {
    return std::pair(events_.correlation[row], process_of_track_[events_.track[row]]);
  };
  const auto [first, behind] =
      std::equal_range(calls.begin(), calls.end(), call, [&](EventRow a, EventRow b) { return key(a) < key(b); });
  return {first, behind};
}

const LaunchIndex::SharedId* LaunchIndex::shared_id(uint32_t rank, int64_t correlation) const {
  const auto shared = std::lower_bound(
      shared_ids_.begin(), shared_ids_.end(), std::pair(rank, correlation),
      [](const SharedId& id, const auto& wanted) { return std::pair(id.rank, id.correlation) < wanted; });
  return shared != shared_ids_.end() && shared->rank == rank && shared->correlation == correlation ? &*shared : nullptr;
}

LaunchMatch LaunchIndex::find(uint32_t track, int64_t correlation, int64_t until_ns) const {
  const uint32_t rank = rank_of_track_[track];
  uint32_t process = process_of_track_[track];
  if (!is_id(correlation) || process == kNoProcess) {
    return {};
  }
  const std::span<const EventRow> calls = calls_.group(rank);
  const bool one_process = has_one_process_[rank];
  if (process == kAnyProcess && !one_process) {
    const auto first = std::lower_bound(calls.begin(), calls.end(), correlation, [&](EventRow call, int64_t wanted) {
      return events_.correlation[call] < wanted;
    });
    if (first == calls.end() || events_.correlation[*first] != correlation) {
      return {};
    }
    process = process_of_track_[events_.track[*first]];
    const SharedId* const shared = shared_id(rank, correlation);
    if (shared != nullptr && until_ns >= shared->second_ns) {
      return {kNoEvent, LaunchLink::kAmbiguous, false};
    }
    if (shared != nullptr && until_ns >= events_.start_ns[shared->first]) {
      process = process_of_track_[events_.track[shared->first]];
    }
  }
  const auto behind = std::upper_bound(calls.begin(), calls.end(), until_ns, [&](int64_t wanted_ns, EventRow call) {
    const int64_t call_correlation = events_.correlation[call];
    if (call_correlation != correlation) {
      return correlation < call_correlation;
    }
    const uint32_t its_process = process_of_track_[events_.track[call]];
    return one_process || its_process == process ? wanted_ns < events_.start_ns[call] : process < its_process;
  });
  const auto is_it = [&](EventRow call) {
    return events_.correlation[call] == correlation &&
           (one_process || process_of_track_[events_.track[call]] == process);
  };
  if (behind != calls.begin() && is_it(*std::prev(behind))) {
    const auto at = std::prev(behind);
    const bool id_came_again =
        (at != calls.begin() && has_id_of(*at, *std::prev(at)) && !lies_within(*at, *std::prev(at))) ||
        (behind != calls.end() && has_id_of(*at, *behind) && !lies_within(*behind, *at));
    return {*at, LaunchLink::kLinked, id_came_again};
  }
  return behind != calls.end() && is_it(*behind) ? LaunchMatch{*behind, LaunchLink::kBeforeCall, false} : LaunchMatch();
}

}  // namespace aaco
