// SPDX-License-Identifier: MIT
#include "serve/timeline/timeline_tracks.h"

#include "base/json/json.h"

namespace aaco::serve {

namespace {

Json part_json(const IndexPart& part) { return Json::array({part.count, part.at, part.bytes}); }

IndexPart part_of_json(const Json& json) {
  return {json.at(0).get<uint64_t>(), json.at(1).get<uint64_t>(), json.at(2).get<uint64_t>()};
}

Json track_json(const TimelineTrack& track) {
  Json lanes = Json::array();
  for (const IndexPart& lane : track.lanes) {
    lanes.push_back(part_json(lane));
  }
  return {{"group", track.group}, {"name", track.name},
          {"type", track.type},   {"idle", track.is_idle},
          {"lanes", lanes},       {"points", part_json(track.points)},
          {"unit", track.unit},   {"min", track.min},
          {"max", track.max},     {"table_track", track.table_track}};
}

TimelineTrack track_of_json(const Json& json) {
  TimelineTrack track;
  json.at("group").get_to(track.group);
  json.at("name").get_to(track.name);
  json.at("type").get_to(track.type);
  json.at("idle").get_to(track.is_idle);
  for (const Json& lane : json.at("lanes")) {
    track.lanes.push_back(part_of_json(lane));
  }
  track.points = part_of_json(json.at("points"));
  json.at("unit").get_to(track.unit);
  json.at("min").get_to(track.min);
  json.at("max").get_to(track.max);
  json.at("table_track").get_to(track.table_track);
  return track;
}

}  // namespace

uint64_t TimelineTrack::events() const {
  uint64_t count = points.count;
  for (const IndexPart& lane : lanes) {
    count += lane.count;
  }
  return count;
}

Json to_outline_json(const TimelineOutline& outline) {
  Json tracks = Json::array();
  for (const TimelineTrack& track : outline.tracks) {
    tracks.push_back(track_json(track));
  }
  return {{"source", outline.source},
          {"start_ns", outline.start_ns},
          {"end_ns", outline.end_ns},
          {"origin_wall_ns", outline.origin_wall_ns},
          {"table_events", outline.table_events},
          {"stored_events", outline.stored_events},
          {"left_out", outline.left_out},
          {"categories", outline.categories},
          {"tracks", tracks},
          {"labels", part_json(outline.labels)}};
}

TimelineOutline outline_of_json(const Json& json) {
  TimelineOutline outline;
  json.at("source").get_to(outline.source);
  json.at("start_ns").get_to(outline.start_ns);
  json.at("end_ns").get_to(outline.end_ns);
  json.at("origin_wall_ns").get_to(outline.origin_wall_ns);
  json.at("table_events").get_to(outline.table_events);
  json.at("stored_events").get_to(outline.stored_events);
  json.at("left_out").get_to(outline.left_out);
  json.at("categories").get_to(outline.categories);
  for (const Json& track : json.at("tracks")) {
    outline.tracks.push_back(track_of_json(track));
  }
  outline.labels = part_of_json(json.at("labels"));
  return outline;
}

}  // namespace aaco::serve
