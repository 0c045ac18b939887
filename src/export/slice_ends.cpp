// SPDX-License-Identifier: MIT
#include "export/slice_ends.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace aaco {

namespace {

// A thread by the names of the file, and when something of it ended.
struct EndPlace {
  uint32_t thread = 0;
  int64_t time_ns = 0;
  uint64_t event = 0;

  auto key() const { return std::tie(thread, time_ns); }
  friend bool operator<(const EndPlace& a, const EndPlace& b) {
    return std::tie(a.thread, a.time_ns, a.event) < std::tie(b.thread, b.time_ns, b.event);
  }
};

// An end belongs to the last begin before it that is still open.
void match(std::vector<EndPlace>::const_iterator& slice, std::vector<EndPlace>::const_iterator behind,
           const EndPlace& end, std::vector<uint64_t>& open, SliceEnds& slice_ends) {
  for (; slice != behind && slice->key() < end.key(); ++slice) {
  }
  for (; slice != behind && slice->key() == end.key() && slice->event < end.event; ++slice) {
    open.push_back(slice->event);
  }
  if (open.empty()) {
    slice_ends.unmatched.push_back(end.event);
  } else {
    slice_ends.matched.push_back({open.back(), end.event});
    open.pop_back();
  }
}

}  // namespace

SliceEnds slice_ends(const EventTable& events) {
  std::map<std::tuple<uint32_t, StringId, StringId>, uint32_t> threads;
  std::vector<uint32_t> thread_of;
  for (const Track& track : events.tracks) {
    const auto next = static_cast<uint32_t>(threads.size());
    thread_of.push_back(threads.try_emplace({track.recording, track.process, track.thread}, next).first->second);
  }
  std::vector<EndPlace> ends;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.shape[i] == EventShape::kSliceEnd) {
      ends.push_back({thread_of[events.track[i]], events.start_ns[i], i});
    }
  }
  std::sort(ends.begin(), ends.end());
  std::vector<EndPlace> slices;
  for (size_t i = 0; i < events.size() && !ends.empty(); ++i) {
    const EndPlace place{thread_of[events.track[i]], events.end_ns(i), i};
    if (events.shape[i] == EventShape::kSlice &&
        std::binary_search(ends.begin(), ends.end(), place,
                           [](const EndPlace& a, const EndPlace& b) { return a.key() < b.key(); })) {
      slices.push_back(place);
    }
  }
  std::sort(slices.begin(), slices.end());

  SliceEnds all;
  auto slice = slices.cbegin();
  std::vector<uint64_t> open;
  for (size_t i = 0; i < ends.size(); ++i) {
    if (i == 0 || ends[i].key() != ends[i - 1].key()) {
      open.clear();
    }
    match(slice, slices.cend(), ends[i], open, all);
  }
  std::sort(all.matched.begin(), all.matched.end(),
            [](const SliceEnd& a, const SliceEnd& b) { return a.slice < b.slice; });
  std::sort(all.unmatched.begin(), all.unmatched.end());
  return all;
}

}  // namespace aaco
