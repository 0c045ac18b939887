// SPDX-License-Identifier: MIT
#include "serve/timeline/build_timeline.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/timeline/idle_causes.h"
#include "analysis/timeline/lookup/row_groups.h"
#include "analysis/timeline/names/people_words.h"
#include "analysis/timeline/time_budget.h"
#include "serve/timeline/free_lanes.h"
#include "serve/timeline/label_table.h"
#include "serve/timeline/timeline_index.h"

namespace aaco::serve {

namespace {

constexpr size_t kMostLanes = UINT16_MAX;

bool is_slice(EventShape shape) { return shape == EventShape::kSlice || shape == EventShape::kInstant; }

std::vector<std::string> category_names() {
  std::vector<std::string> names;
  for (const char* kind : {"host operator", "host call", "host range", "profiler overhead", "kernel", "copy",
                           "memory set", "device range", "device wait", "other"}) {
    names.emplace_back(kind);
  }
  for (size_t cause = 0; cause < kIdleCauses; ++cause) {
    names.push_back("idle: " + people_words(word_of(static_cast<IdleCause>(cause))));
  }
  return names;
}

uint8_t category_of(EventKind kind) { return static_cast<uint8_t>(kind); }
uint8_t category_of(IdleCause cause) {
  return static_cast<uint8_t>(static_cast<size_t>(EventKind::kOther) + 1 + static_cast<size_t>(cause));
}

std::string place_of(int64_t rank, int64_t device) {
  std::string text = rank == kNoId ? "" : fmt::format("rank {}", rank);
  if (device != kNoId) {
    text += fmt::format("{}device {}", text.empty() ? "" : " ", device);
  }
  return text;
}

std::string group_of(const EventTable& events, const Track& track) {
  const std::string place = place_of(track.rank, track.device);
  if (track.device != kNoId) {
    return place;
  }
  const std::string_view process =
      events.strings[track.process_name == kEmptyString ? track.process : track.process_name];
  const std::string name =
      process.empty() ? events.recordings.empty() ? "" : events.recordings[track.recording].name : std::string(process);
  return place.empty() ? name : fmt::format("{} {}", place, name);
}

std::string name_of(const EventTable& events, const Track& track) {
  if (track.stream != kNoId) {
    return fmt::format("stream {}", track.stream);
  }
  return std::string(events.strings[track.thread_name == kEmptyString ? track.thread : track.thread_name]);
}

// Two texts of an event table in one key.
uint64_t pair_of(uint32_t high, uint32_t low) { return uint64_t{high} << 32 | low; }

class TimelineBuilder {
 public:
  TimelineBuilder(const TimelineSource& source, TimelineIndexWriter writer)
      : events_(source.events), writer_(std::move(writer)) {
    outline_.source = source.source;
    outline_.table_events = events_.size();
    outline_.stored_events = source.stored_events;
    outline_.origin_wall_ns = source.origin_wall_ns;
    outline_.categories = category_names();
    outline_.left_out = source.left_out;
    outline_.start_ns = INT64_MAX;
    outline_.end_ns = INT64_MIN;
  }

  Result<uint64_t> build() {
    for (size_t row = 0; row < events_.size(); ++row) {
      outline_.left_out += !is_slice(events_.shape[row]) && events_.shape[row] != EventShape::kCounter ? 1 : 0;
    }
    AACO_TRY(add_slices());
    AACO_TRY(add_idle());
    add_counters();
    outline_.start_ns = std::min(outline_.start_ns, outline_.end_ns == INT64_MIN ? 0 : outline_.end_ns);
    outline_.end_ns = std::max(outline_.start_ns, outline_.end_ns);
    outline_.labels = writer_.add(labels_.pack(), labels_.size());
    return writer_.finish(outline_);
  }

 private:
  int64_t end_of(uint32_t row) const {
    return saturating_sum(events_.start_ns[row], std::max<int64_t>(events_.duration_ns[row], 0));
  }
  uint32_t label_of(uint32_t row) {
    const uint64_t key = pair_of(events_.name[row], category_of(events_.kind[row]));
    const auto known = label_of_name_.find(key);
    if (known != label_of_name_.end()) {
      return known->second;
    }
    const uint32_t label = labels_.add(events_.strings[events_.name[row]], category_of(events_.kind[row]));
    label_of_name_.emplace(key, label);
    return label;
  }
  void cover(int64_t start_ns, int64_t end_ns) {
    outline_.start_ns = std::min(outline_.start_ns, start_ns);
    outline_.end_ns = std::max(outline_.end_ns, end_ns);
  }

  Result<void> add_slices() {
    RowGroups groups(events_.size(), events_.tracks.size(),
                     [&](size_t row) { return is_slice(events_.shape[row]) ? events_.track[row] : RowGroups::kNone; });
    groups.sort([&](uint32_t a, uint32_t b) {
      return std::tuple(events_.start_ns[a], -events_.duration_ns[a], a) <
             std::tuple(events_.start_ns[b], -events_.duration_ns[b], b);
    });
    for (size_t track = 0; track < groups.groups(); ++track) {
      if (!groups.group(track).empty()) {
        AACO_TRY(add_track(track, groups.group(track)));
      }
    }
    return {};
  }

  // `rows`: by their start.
  Result<void> add_track(size_t table_track, std::span<const uint32_t> rows) {
    FreeLanes free;
    std::vector<uint16_t> lane_of(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      const size_t lane = free.take(events_.start_ns[rows[i]], end_of(rows[i]));
      if (lane >= kMostLanes) {
        return Error{ErrorKind::kUnavailable, "more slices of a track overlap than a timeline has rows",
                     "import a part of the trace"};
      }
      lane_of[i] = static_cast<uint16_t>(lane);
      cover(events_.start_ns[rows[i]], end_of(rows[i]));
    }
    const RowGroups lanes(rows.size(), free.size(), [&](size_t i) { return uint32_t{lane_of[i]}; });
    TimelineTrack track;
    track.group = group_of(events_, events_.tracks[table_track]);
    track.name = name_of(events_, events_.tracks[table_track]);
    track.table_track = static_cast<int64_t>(table_track);
    for (size_t lane = 0; lane < lanes.groups(); ++lane) {
      LaneWriter writer;
      for (const uint32_t i : lanes.group(lane)) {
        const uint32_t row = rows[i];
        writer.add({events_.start_ns[row], end_of(row) - events_.start_ns[row], row, label_of(row)});
      }
      AACO_ASSIGN(const std::string bytes, writer.finish());
      track.lanes.push_back(writer_.add(bytes, writer.size()));
    }
    outline_.tracks.push_back(std::move(track));
    return {};
  }

  Result<void> add_idle() {
    const LaunchIndex launches(events_);
    const std::vector<DeviceWork> devices = device_work(events_, launches);
    if (devices.empty()) {
      return {};
    }
    const HostTimeline host(events_, kHostKinds);
    const size_t most_parts = 1'000 + 64 * events_.size() / devices.size();
    auto row = static_cast<uint32_t>(std::min<size_t>(events_.size(), kMostEventRows));
    for (const DeviceWork& work : devices) {
      const RowGroups order = stream_order(events_, work);
      const StreamDependencies dependencies(events_, work, launches, order.all());
      const TimeBudget budget = time_budget(events_, work.slices);
      LaneWriter lane;
      idle_causes({events_, host, most_parts}, work, dependencies, budget.idle, [&](IdleCause cause, const Span& span) {
        const uint32_t label = labels_.add(people_words(word_of(cause)), category_of(cause));
        lane.add({span.start_ns, span.end_ns - span.start_ns, row, label});
        row = row == kMostEventRows ? row : row + 1;
      });
      if (lane.size() > 0) {
        TimelineTrack track;
        track.group = place_of(work.rank, work.device);
        track.name = "idle";
        track.is_idle = true;
        AACO_ASSIGN(const std::string bytes, lane.finish());
        track.lanes.push_back(writer_.add(bytes, lane.size()));
        outline_.tracks.push_back(std::move(track));
      }
    }
    return {};
  }

  struct CounterRows {
    uint32_t first_row = 0;
    std::vector<CounterPoint> points;
  };
  using CounterKey = std::tuple<uint32_t, StringId, StringId>;  // track, name, argument

  // Readers of traces leave it as a text beside the value; "" where the trace says none.
  std::string unit_of(uint32_t row) const {
    for (size_t at = events_.arguments.begin(row); at < events_.arguments.end(row); ++at) {
      const Argument argument = events_.arguments[at];
      if (argument.type == ArgumentType::kText && events_.strings[argument.key] == "unit") {
        return std::string(events_.text_of(argument));
      }
    }
    return "";
  }

  // A track for each argument of a counter's name that is a number.
  void add_counters() {
    std::map<CounterKey, CounterRows> all_series;
    for (size_t row = 0; row < events_.size(); ++row) {
      if (events_.shape[row] != EventShape::kCounter) {
        continue;
      }
      for (size_t at = events_.arguments.begin(row); at < events_.arguments.end(row); ++at) {
        const Argument argument = events_.arguments[at];
        double value = 0;
        if (argument.type == ArgumentType::kReal) {
          std::memcpy(&value, &argument.bits, sizeof value);
        } else if (argument.type == ArgumentType::kInteger) {
          value = static_cast<double>(static_cast<int64_t>(argument.bits));
        } else {
          continue;
        }
        if (std::isfinite(value)) {
          CounterRows& series = all_series[{events_.track[row], events_.name[row], argument.key}];
          series.first_row = series.points.empty() ? static_cast<uint32_t>(row) : series.first_row;
          series.points.push_back({events_.start_ns[row], value});
        }
      }
    }
    for (auto& [key, series] : all_series) {
      add_counter(key, series);
    }
  }

  void add_counter(const CounterKey& key, CounterRows& series) {
    const auto& [table_track, name, argument] = key;
    std::vector<CounterPoint>& points = series.points;
    std::stable_sort(points.begin(), points.end(),
                     [](const CounterPoint& a, const CounterPoint& b) { return a.time_ns < b.time_ns; });
    TimelineTrack track;
    track.type = TrackType::kCounter;
    track.group = group_of(events_, events_.tracks[table_track]);
    track.name = std::string(events_.strings[name]);
    if (const std::string_view word = events_.strings[argument]; word != "value" && word != track.name) {
      track.name += fmt::format(" {}", word);
    }
    track.unit = unit_of(series.first_row);
    track.table_track = table_track;
    const auto [least, most] = std::minmax_element(
        points.begin(), points.end(), [](const CounterPoint& a, const CounterPoint& b) { return a.value < b.value; });
    track.min = least->value;
    track.max = most->value;
    track.points = writer_.add(pack_counter(points), points.size());
    cover(points.front().time_ns, points.back().time_ns);
    outline_.tracks.push_back(std::move(track));
  }

  const EventTable& events_;
  TimelineIndexWriter writer_;
  TimelineOutline outline_;
  LabelTable labels_;
  std::unordered_map<uint64_t, uint32_t> label_of_name_;  // by name and category of the table
};

}  // namespace

Result<uint64_t> build_timeline(const TimelineSource& source, const std::filesystem::path& path) {
  if (source.events.size() > kMostEventRows) {
    return Error{
        ErrorKind::kUnavailable,
        fmt::format("a timeline of {} events is not possible, of {} it is", source.events.size(), kMostEventRows),
        "import a part of the trace"};
  }
  AACO_ASSIGN(TimelineIndexWriter writer, TimelineIndexWriter::create(path));
  return TimelineBuilder(source, std::move(writer)).build();
}

}  // namespace aaco::serve
