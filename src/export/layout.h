// SPDX-License-Identifier: MIT
// Where a viewer shows each event: processes, their rows, and which slice lies on which row. A row of the trace becomes
// several where its slices cannot be shown on one (lanes.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/memory/growing_array.h"
#include "record/events/event_table.h"

namespace aaco {

// Slices of one row of the trace that are different things to a viewer.
enum class SliceGroup : uint8_t { kWork, kCalls, kWaits };  // of a device; of a thread, and ranges; of a stream

struct ShownProcess {
  uint32_t recording = 0;
  StringId process = kEmptyString;  // as the file names it
  int64_t rank = kNoId;             // of one that the file does not name
  int64_t device = kNoId;           // likewise
  StringId name = kEmptyString;     // where the file says
  int64_t pid = 0;                  // from 0 to 2^31 - 1, no two the same
  bool keeps_text = false;          // the file's name of it is unique
  bool unknown_device = false;      // has work of a device that nobody knows
};

// A row of the trace. Marks (all that is no slice) lie on the first of its rows here.
struct ShownLine {
  uint32_t process = 0;
  uint32_t track = 0;  // of the event table; of several the one with slices
  uint32_t first_row = 0;
  bool unknown_stream = false;
  bool is_replays = false;   // of graphs, on several streams
  uint64_t first_slice = 0;  // of Layout::slices
  uint64_t end_slice = 0;
};

struct ShownRow {
  uint32_t line = 0;
  SliceGroup group = SliceGroup::kCalls;
  uint32_t lane = 0;
  int64_t tid = 0;          // no two of a process the same
  bool keeps_text = false;  // the file's name of it is unique in its process, and this is its first row
  uint64_t first_slice = 0;
  uint64_t end_slice = 0;
};

struct Layout {
  std::vector<ShownProcess> processes;
  std::vector<ShownLine> lines;
  std::vector<ShownRow> rows;           // of a line side by side
  std::vector<uint32_t> line_of_track;  // only of tracks with events
  GrowingArray<uint32_t> row_of_event;  // of marks the line's first
  std::vector<uint64_t> slices;         // row by row, in the order in which they begin, callers first
  int64_t shift_ns = 0;                 // to be added to all times, so that none is negative: no viewer takes those

  std::span<const uint64_t> slices_of(const ShownRow& row) const {
    return std::span(slices).subspan(row.first_slice, row.end_slice - row.first_slice);
  }
  std::span<const uint64_t> slices_of(const ShownLine& line) const {
    return std::span(slices).subspan(line.first_slice, line.end_slice - line.first_slice);
  }
};

bool has_time(EventShape shape);  // and so a place on the timeline

Layout lay_out(const EventTable& events);

// What a viewer calls it: the file's name, else what is known of it; and the lane.
std::string name_of_process(const EventTable& events, const ShownProcess& process);
std::string name_of_row(const EventTable& events, const Layout& layout, const ShownRow& row);

}  // namespace aaco
