// SPDX-License-Identifier: MIT
// What was read.
#include "base/format.h"
#include "report/trace/losses.h"
#include "report/trace/sections.h"

namespace aaco::report {

TableRows TraceInput::rows(TableFunction table) const {
  const auto [entry, added] = tables.try_emplace(table);
  if (added) {
    entry->second = table(events, summary);
  }
  return TableRows(entry->second);
}

TableRows TraceInput::rows(TableFunction table, const std::vector<int64_t>& ids) const {
  const auto kept = by_ids.find(table);
  return (kept != by_ids.end() ? kept : by_ids.try_emplace(table, rows(table).table(), ids.size()).first)
      ->second.find(ids);
}

void outline_source(const TraceInput& input, Outline& at) {
  const TraceOrigin& origin = input.origin;
  at.section("what was read");
  at.list("files", origin.files, [](const TraceFile& file, Outline& inner) {
    inner.figure("path", file.path);
    inner.figure("format", file.format);
    inner.figure("bytes", file.bytes, "bytes");
    inner.say("{path} ({format})");
  });
  at.figure("unknown_files", origin.unknown_files);
  if (!origin.unknown_files.empty()) {
    at.aside("count", counted(origin.unknown_files.size(), "file", "files"));
    at.aside("first", origin.unknown_files.front());
    at.say("not read, in no known format: {count}, the first {first}");
  }
  at.list("recordings", input.events.recordings, [](const TraceRecording& recording, Outline& inner) {
    inner.figure("name", recording.name);
    inner.figure("format", recording.format);
  });
  outline_coverage(origin, input.events, at);
  at.figure("events", input.events.size());
  at.figure("tracks", input.events.tracks.size());
  at.note(counted(input.events.size(), "event", "events") + " on " +
          counted(input.events.tracks.size(), "track", "tracks"));
  outline_losses(input.summary.losses, recorded_device_ns(input.summary), Notes::kCounted, at);
  outline_doubts(input, at);
  outline_no_device(input, at);
}

}  // namespace aaco::report
