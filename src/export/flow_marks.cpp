// SPDX-License-Identifier: MIT
#include "export/flow_marks.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "analysis/timeline/lookup/event_arguments.h"
#include "analysis/timeline/lookup/launch_index.h"

namespace aaco {

namespace {

// Marks of one line come in the order of time.
class LineSweep {
 public:
  LineSweep(const EventTable& events, std::span<const uint64_t> slices)
      : events_(events), slices_(slices.begin(), slices.end()) {
    std::sort(slices_.begin(), slices_.end(), [&](uint64_t a, uint64_t b) {  // callers first
      return std::tie(events.start_ns[a], events.duration_ns[b], a) <
             std::tie(events.start_ns[b], events.duration_ns[a], b);
    });
  }

  // The one that began last of those that have not ended.
  uint64_t around(int64_t time_ns) {
    for (; next_ < slices_.size() && events_.start_ns[slices_[next_]] <= time_ns; ++next_) {
      close([&](int64_t end_ns) { return end_ns <= events_.end_ns(slices_[next_]); });  // it is never the answer again
      open_.push_back(slices_[next_]);
    }
    close([&](int64_t end_ns) { return end_ns < time_ns; });
    return open_.empty() ? kNoSlice : open_.back();
  }

  uint64_t at_or_behind(int64_t time_ns) const {
    const auto next_slice =
        std::lower_bound(slices_.begin(), slices_.end(), time_ns,
                         [&](uint64_t slice, int64_t time) { return events_.start_ns[slice] < time; });
    return next_slice == slices_.end() ? kNoSlice : *next_slice;
  }

 private:
  template <class IsOver>
  void close(IsOver is_over) {
    while (!open_.empty() && is_over(events_.end_ns(open_.back()))) {
      open_.pop_back();
    }
  }

  const EventTable& events_;
  std::vector<uint64_t> slices_;
  std::vector<uint64_t> open_;
  size_t next_ = 0;
};

// Chrome's format: an end without "bp": "e" points to the slice that follows.
bool points_ahead(const EventTable& events, size_t event) {
  const auto bound = text_argument(events, event, "event.bp");
  return events.shape[event] == EventShape::kFlowEnd && !(bound && events.strings[*bound] == "e");
}

std::vector<bool> with_arrows(const EventTable& events) {
  std::vector<bool> with(events.recordings.size());
  for (const Track& track : events.tracks) {
    with.resize(std::max<size_t>(with.size(), track.recording + size_t{1}));
  }
  for (size_t i = 0; i < events.size(); ++i) {
    if (is_flow(events.shape[i])) {
      with[events.tracks[events.track[i]].recording] = true;
    }
  }
  return with;
}

}  // namespace

bool is_flow(EventShape shape) {
  return shape == EventShape::kFlowStart || shape == EventShape::kFlowStep || shape == EventShape::kFlowEnd;
}

std::vector<FlowMark> flow_marks(const EventTable& events, const Layout& layout) {
  std::vector<FlowMark> marks;
  for (size_t i = 0; i < events.size(); ++i) {
    if (is_flow(events.shape[i])) {
      marks.push_back({i, kNoSlice});
    }
  }
  const auto line_of = [&](const FlowMark& mark) { return layout.line_of_track[events.track[mark.event]]; };
  std::sort(marks.begin(), marks.end(), [&](const FlowMark& a, const FlowMark& b) {
    return std::tuple(line_of(a), events.start_ns[a.event], a.event) <
           std::tuple(line_of(b), events.start_ns[b.event], b.event);
  });
  for (auto first = marks.begin(); first != marks.end();) {
    const uint32_t line = line_of(*first);
    LineSweep sweep(events, layout.slices_of(layout.lines[line]));
    for (; first != marks.end() && line_of(*first) == line; ++first) {
      const int64_t time_ns = events.start_ns[first->event];
      const uint64_t around = sweep.around(time_ns);
      const uint64_t ahead = points_ahead(events, first->event) ? sweep.at_or_behind(time_ns) : kNoSlice;
      first->slice = ahead == kNoSlice ? around : ahead;
    }
  }
  std::sort(marks.begin(), marks.end(), [](const FlowMark& a, const FlowMark& b) { return a.event < b.event; });
  return marks;
}

std::vector<CallArrow> call_arrows(const EventTable& events) {
  std::vector<CallArrow> arrows;
  const std::vector<bool> has_own = with_arrows(events);
  if (std::find(has_own.begin(), has_own.end(), false) == has_own.end()) {
    return arrows;
  }
  const LaunchIndex launches(events);
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.shape[i] == EventShape::kSlice && is_on_device(events.kind[i]) && events.correlation[i] != kNoId &&
        !has_own[events.tracks[events.track[i]].recording]) {
      const LaunchMatch launch = launches.launch_of(i);
      if (launch.link == LaunchLink::kLinked && events.shape[launch.call] == EventShape::kSlice) {
        arrows.push_back({launch.call, i});
      }
    }
  }
  return arrows;
}

}  // namespace aaco
