// SPDX-License-Identifier: MIT
#include "serve/answers/path_answer.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/timeline/path_of_trace/path_of_trace.h"
#include "analysis/timeline/trace_summary.h"
#include "base/json/json.h"
#include "base/text/utf8.h"
#include "kind/trace/trace_memory.h"
#include "kind/trace/trace_source.h"
#include "report/trace/values.h"
#include "serve/timeline/timeline_index.h"

namespace aaco::serve {

namespace {

constexpr size_t kMostSegments = 10'000;  // of a path, which may have two for each event

// The longest segments of a path that may be longer than memory should hold.
class LongestSegments {
 public:
  void add(const PathSegment& segment) {
    segments_.push_back({all_++, segment});
    if (segments_.size() == 2 * kMostSegments) {
      shorten();
    }
  }
  uint64_t all() const { return all_; }
  // In the order of time.
  std::vector<PathSegment> finish() {
    if (segments_.size() > kMostSegments) {
      shorten();
    }
    std::sort(segments_.begin(), segments_.end(),
              [](const NumberedSegment& a, const NumberedSegment& b) { return a.number < b.number; });
    std::vector<PathSegment> segments;
    for (const NumberedSegment& numbered : segments_) {
      segments.push_back(numbered.segment);
    }
    return segments;
  }

 private:
  struct NumberedSegment {
    uint64_t number = 0;
    PathSegment segment;
    int64_t length_ns() const { return segment.end_ns - segment.start_ns; }
  };
  void shorten() {
    std::nth_element(segments_.begin(), segments_.begin() + kMostSegments, segments_.end(),
                     [](const NumberedSegment& a, const NumberedSegment& b) { return a.length_ns() > b.length_ns(); });
    segments_.resize(kMostSegments);
  }

  std::vector<NumberedSegment> segments_;
  uint64_t all_ = 0;
};

// Tracks of the timeline by those of the event table.
std::map<int64_t, size_t> tracks_of_table(const TimelineIndex& index) {
  std::map<int64_t, size_t> tracks;
  for (size_t track = 0; track < index.tracks(); ++track) {
    if (index.track(track).type == TrackType::kSlices && !index.track(track).is_idle) {
      tracks.emplace(index.track(track).table_track, track);
    }
  }
  return tracks;
}

// On which lane of a track an event lies that is going on then; the first where none has it.
size_t lane_of(std::span<const SliceLane> lanes, const PathSegment& segment) {
  for (size_t lane = 0; segment.event != kNoEvent && lane < lanes.size(); ++lane) {
    const size_t at = lanes[lane].first_ending_after(segment.start_ns);
    if (at < lanes[lane].size() && lanes[lane][at].row == segment.event) {
      return lane;
    }
  }
  return 0;
}

// As columns: an object for each would take three times the bytes.
Json segments_json(const EventTable& events, const TimelineIndex& index, std::span<const PathSegment> segments) {
  const std::map<int64_t, size_t> tracks = tracks_of_table(index);
  std::map<StringId, size_t> numbers;
  Json json = {{"names", Json::array()}};
  for (const char* column : {"start", "duration", "track", "lane", "kind", "name", "event"}) {
    json[column] = Json::array();
  }
  for (const PathSegment& segment : segments) {
    const auto track = tracks.find(segment.track);
    const auto [number, is_new] = numbers.try_emplace(segment.name, json["names"].size());
    if (is_new) {
      json["names"].push_back(as_utf8(events.strings[segment.name]));
    }
    json["start"].push_back(segment.start_ns - index.outline().start_ns);
    json["duration"].push_back(segment.end_ns - segment.start_ns);
    json["track"].push_back(track == tracks.end() ? Json() : Json(track->second));
    json["lane"].push_back(track == tracks.end() ? 0 : lane_of(index.lanes(track->second), segment));
    json["kind"].push_back(static_cast<size_t>(segment.kind));
    json["name"].push_back(number->second);
    json["event"].push_back(segment.event == kNoEvent ? Json() : Json(segment.event));
  }
  return json;
}

Json path_json(const EventTable& events, const TimelineIndex& index, const CriticalPath& path,
               LongestSegments& longest) {
  const std::vector<PathSegment> segments = longest.finish();
  int64_t shown_ns = 0;
  for (const PathSegment& segment : segments) {
    shown_ns += segment.end_ns - segment.start_ns;
  }
  Json kinds = Json::array();
  for (size_t kind = 0; kind < kPathKinds; ++kind) {
    const char* const word = word_of(static_cast<PathKind>(kind));
    kinds.push_back({{"kind", word}, {"words", report::people_words(word)}, {"total_ns", path.shares[kind]}});
  }
  Json ranks = Json::array();
  for (const auto& [recording, rank] : path.ranks) {
    ranks.push_back({{"recording", recording}, {"rank", report::known(rank)}});
  }
  const auto [recording, rank] = path.ranks.front();
  return {{"title", path.ranks.size() == 1 ? report::of_rank("critical path", events, recording, rank)
                                           : "critical path of " + std::to_string(path.ranks.size()) + " ranks"},
          {"ranks", std::move(ranks)},
          {"window_ns", path.window.end_ns - path.window.start_ns},
          {"length_ns", path.length_ns},
          {"changes_of_rank", path.changes_of_rank},
          {"inferred_waits", path.inferred_waits},
          {"kinds", std::move(kinds)},
          {"parts_in_all", path.parts.size()},  // the rows of SQL's critical_path_parts
          {"segments_in_all", longest.all()},   // a part that goes through several events has one for each
          {"segments_ns", shown_ns},
          {"segments", segments_json(events, index, segments)}};
}

}  // namespace

Result<JsonValue> path_answer(const std::string& session, const std::filesystem::path& file) {
  imports::limit_to_machine();
  AACO_ASSIGN(const std::shared_ptr<const TimelineIndex> index, TimelineIndex::open(file));
  AACO_ASSIGN(const imports::LoadedTrace trace, imports::load_trace({{session}, ""}));
  AACO_TRY(expect_analysis_memory(trace.events));
  std::vector<LongestSegments> longest;
  const std::vector<CriticalPath> paths = critical_paths_of(trace.events, [&](const PathSegment& segment) {
    longest.resize(std::max<size_t>(longest.size(), segment.path + 1));
    longest[segment.path].add(segment);
  });
  longest.resize(paths.size());
  Json json = Json::array();
  for (size_t i = 0; i < paths.size(); ++i) {
    json.push_back(path_json(trace.events, *index, paths[i], longest[i]));
  }
  return JsonValue(Json{{"paths", std::move(json)}});
}

}  // namespace aaco::serve
