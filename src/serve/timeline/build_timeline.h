// SPDX-License-Identifier: MIT
// The index of a session's timeline, made from its events: sorted, laid out in lanes, packed. For a process of its own:
// it holds the event table meanwhile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "record/events/event_table.h"
#include "serve/timeline/timeline_tracks.h"

namespace aaco::serve {

struct TimelineSource {
  const EventTable& events;
  uint64_t stored_events = 0;  // of TimelineOutline
  std::optional<int64_t> origin_wall_ns;
  std::string source;     // likewise
  uint64_t left_out = 0;  // that are not among `events`
};

// Writes `path` and gives its size. Idle spans of the devices are tracks too, each span with its cause
// (analysis/timeline/idle_causes.h). Errors: kUnavailable for too many events; of writing.
Result<uint64_t> build_timeline(const TimelineSource& source, const std::filesystem::path& path);

}  // namespace aaco::serve
