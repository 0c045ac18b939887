// SPDX-License-Identifier: MIT
#include "export/layout.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "export/lanes.h"
#include "export/numbers.h"
#include "record/device/device_rows.h"

namespace aaco {

namespace {

SliceGroup group_of(EventKind kind) {
  switch (kind) {
    case EventKind::kKernel:
    case EventKind::kCopy:
    case EventKind::kSet:
      return SliceGroup::kWork;
    case EventKind::kDeviceSync:
      return SliceGroup::kWaits;
    default:
      return SliceGroup::kCalls;
  }
}

class LayoutBuilder {
 public:
  explicit LayoutBuilder(const EventTable& events) : events_(events), tracks_(events.tracks.size()) {}

  Layout build() {
    look_at_events();
    find_replays();
    make_lines();
    sort_slices_by_line();
    for (uint32_t line = 0; line < layout_.lines.size(); ++line) {
      make_rows(line);
    }
    for (size_t i = 0; i < events_.size(); ++i) {
      if (events_.shape[i] != EventShape::kSlice) {
        layout_.row_of_event[i] = layout_.lines[layout_.line_of_track[events_.track[i]]].first_row;
      }
    }
    number_processes(events_, layout_);
    number_rows(events_, layout_);
    return std::move(layout_);
  }

 private:
  struct TrackUse {
    uint64_t events = 0;
    uint64_t slices = 0;
    uint64_t replayed = 0;  // of the slices
    bool device_work = false;
  };
  using ProcessKey = std::tuple<uint32_t, StringId, int64_t, int64_t>;
  using LineKey = std::tuple<uint32_t, StringId, int64_t, int64_t>;
  static constexpr int64_t kReplays = -2;  // for a stream

  void look_at_events();
  void find_replays();
  bool is_all_replays(uint32_t track) const {
    return tracks_[track].slices > 0 && tracks_[track].replayed == tracks_[track].slices;
  }
  uint32_t process_of(const Track& track);
  uint32_t line_of(uint32_t track);
  void make_lines();
  void sort_slices_by_line();
  void make_rows(uint32_t line);
  bool before(uint64_t a, uint64_t b) const;

  const EventTable& events_;
  std::vector<TrackUse> tracks_;
  std::map<ProcessKey, uint32_t> processes_;
  std::map<LineKey, uint32_t> lines_;
  Layout layout_;
};

void LayoutBuilder::look_at_events() {
  int64_t earliest_ns = 0;
  layout_.row_of_event.reserve(events_.size());
  for (size_t i = 0; i < events_.size(); ++i) {
    layout_.row_of_event.push_back(0);
    TrackUse& track = tracks_[events_.track[i]];
    ++track.events;
    track.slices += events_.shape[i] == EventShape::kSlice ? 1 : 0;
    track.device_work = track.device_work || is_on_device(events_.kind[i]);
    earliest_ns = has_time(events_.shape[i]) ? std::min(earliest_ns, events_.start_ns[i]) : earliest_ns;
  }
  layout_.shift_ns = -earliest_ns;
}

// The driver gives a branch of a graph any stream, and another one with each replay: what our collectors recorded on
// streams that did nothing else is one line of few lanes.
void LayoutBuilder::find_replays() {
  StringId key = 0;
  while (key < events_.strings.size() && events_.strings[key] != device_row::kGraphNode) {
    ++key;
  }
  const auto is_ours = [&](const Track& track) {
    return track.recording < events_.recordings.size() && events_.recordings[track.recording].format == "aaco";
  };
  for (size_t i = 0; key < events_.strings.size() && i < events_.size(); ++i) {
    if (events_.shape[i] == EventShape::kSlice && is_device_work(events_.kind[i]) &&
        is_ours(events_.tracks[events_.track[i]])) {
      tracks_[events_.track[i]].replayed += events_.arguments.find(i, key) ? 1 : 0;
    }
  }
}

// What a file does not name is told apart by rank and device.
uint32_t LayoutBuilder::process_of(const Track& track) {
  const bool named = track.process != kEmptyString;
  const int64_t rank = named ? kNoId : track.rank;
  const int64_t device = named ? kNoId : track.device;
  const auto [entry, added] = processes_.try_emplace({track.recording, track.process, rank, device},
                                                     static_cast<uint32_t>(layout_.processes.size()));
  if (added) {
    layout_.processes.push_back({track.recording, track.process, rank, device, kEmptyString});
  }
  ShownProcess& process = layout_.processes[entry->second];
  process.name = process.name == kEmptyString ? track.process_name : process.name;
  return entry->second;
}

uint32_t LayoutBuilder::line_of(uint32_t number) {
  const Track& track = events_.tracks[number];
  const uint32_t process = process_of(track);
  const auto next = static_cast<uint32_t>(layout_.lines.size());
  const bool is_replays = is_all_replays(number);
  const LineKey key = is_replays ? LineKey{process, kEmptyString, track.device, kReplays}
                                 : LineKey{process, track.thread, track.device, track.stream};
  const auto [entry, added] = lines_.try_emplace(key, next);
  if (added) {
    layout_.lines.push_back({process, number});
  }
  ShownLine& line = layout_.lines[entry->second];
  line.is_replays = is_replays && !added;  // a single stream keeps its name
  if (tracks_[number].device_work) {
    layout_.processes[process].unknown_device = layout_.processes[process].unknown_device || track.device == kNoId;
    line.unknown_stream = line.unknown_stream || track.stream == kNoId;
  }
  return entry->second;
}

// Those with slices first. Marks that name no device lie on the stream that has their process and thread.
void LayoutBuilder::make_lines() {
  layout_.line_of_track.resize(events_.tracks.size());
  std::map<std::pair<uint32_t, StringId>, uint32_t> streams;
  for (const bool with_slices : {true, false}) {
    for (uint32_t i = 0; i < events_.tracks.size(); ++i) {
      const Track& track = events_.tracks[i];
      if (tracks_[i].events == 0 || (tracks_[i].slices > 0) != with_slices) {
        continue;
      }
      const bool on_device = track.device != kNoId || track.stream != kNoId;
      const auto stream = with_slices || on_device ? streams.end() : streams.find({process_of(track), track.thread});
      layout_.line_of_track[i] = stream == streams.end() ? line_of(i) : stream->second;
      if (with_slices && on_device && track.thread != kEmptyString) {
        streams.try_emplace({process_of(track), track.thread}, layout_.line_of_track[i]);
      }
    }
  }
}

void LayoutBuilder::sort_slices_by_line() {
  for (uint32_t i = 0; i < events_.tracks.size(); ++i) {
    if (tracks_[i].slices > 0) {
      layout_.lines[layout_.line_of_track[i]].end_slice += tracks_[i].slices;
    }
  }
  uint64_t start = 0;
  for (ShownLine& line : layout_.lines) {
    const uint64_t count = line.end_slice;
    line.first_slice = line.end_slice = start;
    start += count;
  }
  layout_.slices.resize(start);
  for (size_t i = 0; i < events_.size(); ++i) {
    if (events_.shape[i] == EventShape::kSlice) {
      layout_.slices[layout_.lines[layout_.line_of_track[events_.track[i]]].end_slice++] = i;
    }
  }
}

// As DisjointLanes and NestedLanes take them.
bool LayoutBuilder::before(uint64_t a, uint64_t b) const {
  const SliceGroup group_a = group_of(events_.kind[a]);
  const SliceGroup group_b = group_of(events_.kind[b]);
  if (group_a != group_b || events_.start_ns[a] != events_.start_ns[b]) {
    return std::tie(group_a, events_.start_ns[a]) < std::tie(group_b, events_.start_ns[b]);
  }
  if (events_.duration_ns[a] != events_.duration_ns[b]) {
    return (events_.duration_ns[a] < events_.duration_ns[b]) != (group_a == SliceGroup::kCalls);
  }
  return a < b;
}

void LayoutBuilder::make_rows(uint32_t number) {
  ShownLine& line = layout_.lines[number];
  std::vector<ShownRow>& rows = layout_.rows;
  line.first_row = static_cast<uint32_t>(rows.size());
  const auto slices = std::span(layout_.slices).subspan(line.first_slice, line.end_slice - line.first_slice);
  std::sort(slices.begin(), slices.end(), [&](uint64_t a, uint64_t b) { return before(a, b); });
  for (size_t at = 0; at < slices.size();) {
    const SliceGroup group = group_of(events_.kind[slices[at]]);
    const size_t group_row = rows.size();
    DisjointLanes side_by_side;
    NestedLanes stacked;
    for (; at < slices.size() && group_of(events_.kind[slices[at]]) == group; ++at) {
      const Span span{events_.start_ns[slices[at]], events_.end_ns(slices[at])};
      const uint32_t lane = group == SliceGroup::kCalls ? stacked.place(span) : side_by_side.place(span);
      if (group_row + lane == rows.size()) {
        rows.push_back({number, group, lane});
      }
      layout_.row_of_event[slices[at]] = static_cast<uint32_t>(group_row + lane);
      ++rows[group_row + lane].end_slice;
    }
  }
  if (slices.empty()) {
    rows.push_back({number});
  } else if (rows.size() > line.first_row + 1) {
    std::stable_sort(slices.begin(), slices.end(),
                     [&](uint64_t a, uint64_t b) { return layout_.row_of_event[a] < layout_.row_of_event[b]; });
  }
  uint64_t start = line.first_slice;
  for (ShownRow& row : std::span(rows).subspan(line.first_row)) {
    row.first_slice = start;
    start = row.end_slice += start;
  }
}

}  // namespace

bool has_time(EventShape shape) { return shape != EventShape::kMetadata && shape != EventShape::kUntimed; }

Layout lay_out(const EventTable& events) { return LayoutBuilder(events).build(); }

}  // namespace aaco
