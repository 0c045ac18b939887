// SPDX-License-Identifier: MIT
#include "ingest/dispatches.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "base/growing_array.h"

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

// What of two files is one execution under two numbers.
void join_renumbered(EventTable& events, std::span<const Dispatch> dispatches, size_t first) {
  const auto span_of = [&](const Dispatch& dispatch) {
    const size_t i = dispatch.event;
    return std::tuple(dispatch.device, events.name[i], events.start_ns[i], events.duration_ns[i]);
  };
  const auto by_span = [&](const Dispatch& a, const Dispatch& b) { return span_of(a) < span_of(b); };
  GrowingArray<Dispatch> earlier;
  for (const Dispatch& dispatch : dispatches) {
    if (dispatch.event < first) {
      earlier.push_back(dispatch);
    }
  }
  const std::span<Dispatch> known = earlier.view();
  std::sort(known.begin(), known.end(), by_span);
  for (const Dispatch& dispatch : dispatches) {
    const auto [begin, end] = std::equal_range(known.begin(), known.end(), dispatch, by_span);
    const bool renumbered = dispatch.event >= first && begin != end &&
                            std::none_of(begin, end, [&](const Dispatch& each) { return each.same(dispatch); });
    if (renumbered) {
      const auto says = [&](size_t i) { return events.arguments.end(i) - events.arguments.begin(i); };
      const size_t none = says(begin->event) < says(dispatch.event) ? begin->event : dispatch.event;
      events.kind[none] = EventKind::kOther;
      take_time(events, none);
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
  const std::span<Dispatch> ordered = dispatches.view();
  join_renumbered(events, ordered, first);
  std::sort(ordered.begin(), ordered.end());
  const Dispatch* kept = nullptr;  // of the same dispatch
  for (const Dispatch& dispatch : ordered) {
    if (events.kind[dispatch.event] != EventKind::kKernel) {
      continue;
    }
    if (kept == nullptr || !kept->same(dispatch)) {
      kept = &dispatch;
    } else {
      take_time(events, dispatch.event);
    }
  }
}

}  // namespace aaco
