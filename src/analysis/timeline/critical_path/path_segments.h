// SPDX-License-Identifier: MIT
// Where a critical path lies: its parts (critical_path.h) join neighbours of one name, and do not tell tracks.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/timeline/critical_path/critical_path.h"
#include "record/events/event_row.h"

namespace aaco {

struct PathSegment {
  uint32_t path = 0;  // index of the path
  PathKind kind = PathKind::kUnexplained;
  StringId name = kEmptyString;  // as of PathPart
  uint32_t track = 0;            // of the event table: where it lies; of a wait, where the waiting ends
  EventRow event = kNoEvent;     // what ran; kNoEvent for delays, and where nothing is recorded
  int64_t start_ns = 0;
  int64_t end_ns = 0;
};
// Hears the segments of each path in the order of time; they cover its window.
using PathListener = std::function<void(const PathSegment&)>;

// As critical_paths() of critical_path.h.
std::vector<CriticalPath> critical_paths(const CriticalInput& input, std::vector<StreamDependencies> dependencies,
                                         const PathListener& listener);

}  // namespace aaco
