// SPDX-License-Identifier: MIT
#include "export/chrome/header.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/json/json.h"
#include "base/text/utf8.h"
#include "base/version.h"

namespace aaco::chrome {

namespace {

using Values = std::map<StringId, std::vector<StringId>>;  // by key

constexpr std::string_view kOwnMembers[] = {"traceEvents", "traceExporter", "recordings", "importLosses",
                                            "timeShiftNs"};

std::vector<Values> metadata_by_recording(const EventTable& events) {
  std::vector<Values> values(std::max<size_t>(events.recordings.size(), 1));
  for (const TraceMetadata& each : events.metadata) {
    if (each.recording < values.size()) {
      values[each.recording][each.key].push_back(each.value);
    }
  }
  return values;
}

// Several values of one key as an array; a name that this file uses itself as another.
void write_member(const EventTable& events, StringId key, const std::vector<StringId>& values, JsonWriter& json) {
  const std::string_view name = events.strings[key];
  const bool own_member = std::find(std::begin(kOwnMembers), std::end(kOwnMembers), name) != std::end(kOwnMembers);
  json.text(own_member ? "source " + std::string(name) : std::string(name));
  json.raw(values.size() > 1 ? ":[" : ":");
  for (size_t i = 0; i < values.size(); ++i) {
    json.raw(i > 0 ? "," : "");
    json.json(values[i]);
  }
  json.raw(values.size() > 1 ? "]" : "");
}

void write_losses(const LossTable& losses, JsonWriter& json) {
  const std::vector<LossTable::Entry> entries = losses.entries();
  if (entries.empty()) {
    return;
  }
  json.raw("\"importLosses\":[");
  for (size_t i = 0; i < entries.size(); ++i) {
    json.raw(i > 0 ? ",{\"loss\":" : "{\"loss\":");
    json.text(loss_info(entries[i].loss).name);
    json.raw(fmt::format(",\"count\":{},\"example\":", entries[i].count));
    json.text(entries[i].example);
    json.raw("}");
  }
  json.raw("],\n");
}

void write_recordings(const EventTable& events, const std::vector<Values>& metadata, JsonWriter& json) {
  json.raw("\"recordings\":[");
  for (size_t i = 0; i < events.recordings.size(); ++i) {
    json.raw(i > 0 ? ",\n{\"name\":" : "{\"name\":");
    json.text(events.recordings[i].name);
    json.raw(",\"format\":");
    json.text(events.recordings[i].format);
    json.raw(",\"metadata\":{");
    bool first = true;
    for (const auto& [key, values] : metadata[i]) {
      json.raw(first ? "" : ",");
      first = false;
      write_member(events, key, values, json);
    }
    json.raw("}}");
  }
  json.raw("],\n");
}

// "pid" or "tid".
std::string member(const char* name, std::string_view text, bool keeps_text, bool unknown, int64_t number) {
  if (!keeps_text && !unknown) {
    return fmt::format("\"{}\":{}", name, number);
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return fmt::format("\"{}\":{}", name, Json(as_utf8(text)).dump());
  }
  // A reader takes a number for that of a device or stream, where nothing else says it.
  return unknown ? fmt::format("\"{}\":\"{}{}\"", name, name, value) : fmt::format("\"{}\":{}", name, value);
}

struct NamedTracks {
  std::set<uint32_t> processes;
  std::set<uint32_t> labelled;
  std::set<uint32_t> lines;
};

NamedTracks named_by_events(const EventTable& events, const Layout& layout) {
  NamedTracks named;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events.shape[i] != EventShape::kMetadata) {
      continue;
    }
    const std::string_view name = events.strings[events.name[i]];
    const uint32_t line = layout.line_of_track[events.track[i]];
    if (name == "process_name") {
      named.processes.insert(layout.lines[line].process);
    } else if (name == "process_labels") {
      named.labelled.insert(layout.lines[line].process);
    } else if (name == "thread_name") {
      named.lines.insert(line);
    }
  }
  return named;
}

void write_name(const char* kind, const std::string& place, const char* key, const std::string& name,
                JsonWriter& json) {
  json.next_element();
  json.raw(fmt::format("{{\"ph\":\"M\",\"name\":\"{}\"{},\"args\":{{\"{}\":", kind, place, key));
  json.text(name);
  json.raw("}}");
}

std::string pid_of(const EventTable& events, const ShownProcess& process) {
  const std::string text =
      process.keeps_text ? std::string(events.strings[process.process]) : fmt::format("{}", process.pid);
  return "," + member("pid", text, process.keeps_text, process.unknown_device, process.pid);
}

}  // namespace

std::string place_of_row(const EventTable& events, const Layout& layout, const ShownRow& row) {
  const ShownLine& line = layout.lines[row.line];
  const StringId thread = events.tracks[line.track].thread;
  std::string place = pid_of(events, layout.processes[line.process]);
  const bool nameless_marks = thread == kEmptyString && line.first_slice == line.end_slice;
  if (!nameless_marks) {
    const bool own = row.keeps_text || line.unknown_stream;
    const std::string text = row.keeps_text ? std::string(events.strings[thread]) : fmt::format("{}", row.tid);
    place += "," + member("tid", own ? text : "", own, line.unknown_stream, row.tid);
  }
  return place;
}

int64_t rank_of_file(const EventTable& events) {
  if (events.recordings.size() > 1) {
    return kNoId;
  }
  int64_t rank = kNoId;
  for (const TraceMetadata& each : events.metadata) {
    if (events.strings[each.key] == "distributedInfo") {
      const auto info = parse_json(events.strings[each.value], "distributedInfo");
      const auto rank_member = info && info->is_object() ? info->find("rank") : Json::const_iterator();
      if (info && info->is_object() && rank_member != info->end() && rank_member->is_number_integer()) {
        rank = rank_member->get<int64_t>();
      }
    }
  }
  return rank;
}

void write_root(const EventTable& events, const Layout& layout, JsonWriter& json) {
  const std::vector<Values> metadata = metadata_by_recording(events);
  json.raw(fmt::format("\"traceExporter\":\"aaco {}\",\n", program_version()));
  for (const auto& [key, values] : metadata[0]) {  // what holds of all recordings
    const bool everywhere = std::all_of(metadata.begin(), metadata.end(), [&, name = key](const Values& each) {
      const auto process = each.find(name);
      return process != each.end() && process->second == metadata[0].at(name);
    });
    if (everywhere) {
      write_member(events, key, values, json);
      json.raw(",\n");
    }
  }
  if (events.recordings.size() > 1) {
    write_recordings(events, metadata, json);
  }
  write_losses(events.losses, json);
  if (layout.shift_ns != 0) {
    json.raw(fmt::format("\"timeShiftNs\":{},\n", layout.shift_ns));
  }
}

void write_names(const EventTable& events, const Layout& layout, const std::vector<std::string>& places,
                 JsonWriter& json) {
  const NamedTracks named = named_by_events(events, layout);
  for (uint32_t i = 0; i < layout.processes.size(); ++i) {
    const ShownProcess& process = layout.processes[i];
    const bool says_itself = process.keeps_text && process.name == kEmptyString;
    if (!says_itself && !named.processes.contains(i)) {
      write_name("process_name", pid_of(events, process), "name", name_of_process(events, process), json);
    }
    if (events.recordings.size() > 1 && !named.labelled.contains(i)) {
      write_name("process_labels", pid_of(events, process), "labels", events.recordings[process.recording].name, json);
    }
  }
  for (size_t i = 0; i < layout.rows.size(); ++i) {
    const ShownRow& row = layout.rows[i];
    const bool says_itself = row.keeps_text && events.tracks[layout.lines[row.line].track].thread_name == kEmptyString;
    const bool first = i == layout.lines[row.line].first_row;
    if (!(first && (says_itself || named.lines.contains(row.line))) &&
        places[i].find("\"tid\":") != std::string::npos) {
      write_name("thread_name", places[i], "name", name_of_row(events, layout, row), json);
    }
  }
}

}  // namespace aaco::chrome
