// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "export/layout.h"

namespace aaco {

namespace {

// "rank 3 device 0 stream 7": what is known of it.
std::string join(std::string words, const char* what, int64_t number) {
  return number == kNoId ? words : fmt::format("{}{}{} {}", words, words.empty() ? "" : " ", what, number);
}

std::string lane_suffix(const ShownRow& row, SliceGroup first) {
  std::string words;
  if (row.group != first) {
    words = row.group == SliceGroup::kWaits ? "waits" : "ranges";
  }
  if (row.lane > 0) {
    words += fmt::format("{}lane {}", words.empty() ? "" : ", ", row.lane + 1);
  }
  return words.empty() ? words : fmt::format(" ({})", words);
}

}  // namespace

std::string name_of_process(const EventTable& events, const ShownProcess& process) {
  if (process.name != kEmptyString) {
    return std::string(events.strings[process.name]);
  }
  if (process.process != kEmptyString) {
    return fmt::format("process {}", events.strings[process.process]);
  }
  const std::string known = join(join("", "rank", process.rank), "device", process.device);
  return known.empty() ? events.recordings.empty() ? "process" : events.recordings[process.recording].name : known;
}

std::string name_of_row(const EventTable& events, const Layout& layout, const ShownRow& row) {
  const ShownLine& line = layout.lines[row.line];
  const Track& track = events.tracks[line.track];
  std::string name(line.is_replays ? "replays of graphs" : events.strings[track.thread_name]);
  if (name.empty() && (track.device != kNoId || track.stream != kNoId)) {
    const bool in_process = layout.processes[line.process].device == kNoId;
    name = join(join("", "device", in_process ? track.device : kNoId), "stream", track.stream);
  }
  if (name.empty()) {
    name = track.thread == kEmptyString ? "thread" : fmt::format("thread {}", events.strings[track.thread]);
  }
  return name + lane_suffix(row, layout.rows[line.first_row].group);
}

}  // namespace aaco
