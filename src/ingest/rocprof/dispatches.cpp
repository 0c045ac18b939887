// SPDX-License-Identifier: MIT
#include "ingest/rocprof/dispatches.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <tuple>
#include <vector>

#include "base/memory/growing_array.h"

namespace aaco {

namespace {

struct Dispatch {
  int64_t device;
  int64_t id;
  bool spare;  // goes, where another one is not
  size_t event;

  bool operator<(const Dispatch& other) const {
    return std::tie(device, id, spare, event) < std::tie(other.device, other.id, other.spare, other.event);
  }
  bool same(const Dispatch& other) const { return device == other.device && id == other.id; }
};

template <typename IsSpare>
GrowingArray<Dispatch> timed_dispatches(EventTable& events, uint32_t recording, std::string_view id_key,
                                        const IsSpare& is_spare) {
  const StringId key = events.strings.intern(id_key);
  GrowingArray<Dispatch> dispatches;
  for (size_t i = 0; i < events.size(); ++i) {
    const Track& track = events.tracks[events.track[i]];
    if (track.recording != recording || events.kind[i] != EventKind::kKernel || events.shape[i] != EventShape::kSlice) {
      continue;
    }
    const auto id = events.arguments.find(i, key);
    if (id && id->type == ArgumentType::kInteger) {
      dispatches.push_back({track.device, static_cast<int64_t>(id->bits), is_spare(i), i});
    }
  }
  return dispatches;
}

void take_time(EventTable& events, size_t event) {
  events.shape[event] = EventShape::kUntimed;
  events.start_ns[event] = 0;
}

std::span<Dispatch> still_timed(const EventTable& events, std::span<Dispatch> dispatches) {
  const auto behind = std::partition(dispatches.begin(), dispatches.end(), [&](const Dispatch& dispatch) {
    return events.shape[dispatch.event] == EventShape::kSlice;
  });
  return dispatches.first(static_cast<size_t>(behind - dispatches.begin()));
}

// Of each dispatch the first one stays.
void keep_first(EventTable& events, std::span<Dispatch> dispatches) {
  std::sort(dispatches.begin(), dispatches.end());
  const Dispatch* kept = nullptr;  // of the same dispatch
  for (const Dispatch& dispatch : dispatches) {
    if (kept == nullptr || !kept->same(dispatch)) {
      kept = &dispatch;
    } else {
      take_time(events, dispatch.event);
    }
  }
}

// What of two files is one execution under two numbers. Each number is in a file once.
void join_renumbered(EventTable& events, std::span<Dispatch> earlier, std::span<Dispatch> added) {
  const auto execution = [&](const Dispatch& dispatch) {
    const size_t i = dispatch.event;
    return std::tuple(dispatch.device, events.name[i], events.start_ns[i], events.duration_ns[i]);
  };
  const auto by_execution = [&](const Dispatch& a, const Dispatch& b) { return execution(a) < execution(b); };
  const auto by_number = [&](const Dispatch& a, const Dispatch& b) {
    return std::tuple(execution(a), a.id) < std::tuple(execution(b), b.id);
  };
  std::sort(earlier.begin(), earlier.end(), by_number);
  std::sort(added.begin(), added.end(), by_number);
  std::vector<Dispatch> only_earlier;
  std::vector<Dispatch> only_added;
  std::set_difference(earlier.begin(), earlier.end(), added.begin(), added.end(), std::back_inserter(only_earlier),
                      by_number);
  std::set_difference(added.begin(), added.end(), earlier.begin(), earlier.end(), std::back_inserter(only_added),
                      by_number);
  const auto says = [&](size_t i) { return events.arguments.end(i) - events.arguments.begin(i); };
  for (auto a = only_earlier.begin(), b = only_added.begin(); a != only_earlier.end() && b != only_added.end();) {
    if (by_execution(*a, *b)) {
      ++a;
    } else if (by_execution(*b, *a)) {
      ++b;
    } else {
      const size_t none = says(a->event) < says(b->event) ? a->event : b->event;
      events.kind[none] = EventKind::kOther;
      take_time(events, none);
      ++a;
      ++b;
    }
  }
}

}  // namespace

void count_dispatches_once(EventTable& events, uint32_t recording, std::string_view id_key, std::string_view spare) {
  const StringId category = events.strings.intern(spare);
  GrowingArray<Dispatch> dispatches =
      timed_dispatches(events, recording, id_key, [&](size_t i) { return events.category[i] == category; });
  const std::span<Dispatch> ordered = dispatches.view();
  std::sort(ordered.begin(), ordered.end());
  const Dispatch* first = nullptr;  // of the same dispatch
  for (const Dispatch& dispatch : ordered) {
    if (first == nullptr || !first->same(dispatch)) {
      first = &dispatch;
    } else if (dispatch.spare && !first->spare) {
      take_time(events, dispatch.event);
    }
  }
}

void count_passes_once(EventTable& events, uint32_t recording, std::string_view id_key, size_t first,
                       bool tells_times) {
  GrowingArray<Dispatch> dispatches =
      timed_dispatches(events, recording, id_key, [&](size_t i) { return tells_times && i < first; });
  const std::span<Dispatch> all = dispatches.view();
  const auto behind =
      std::partition_point(all.begin(), all.end(), [&](const Dispatch& dispatch) { return dispatch.event < first; });
  const auto earlier = all.first(static_cast<size_t>(behind - all.begin()));
  const auto added = all.subspan(earlier.size());
  keep_first(events, added);
  join_renumbered(events, earlier, still_timed(events, added));
  keep_first(events, still_timed(events, all));
}

}  // namespace aaco
