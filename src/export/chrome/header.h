// SPDX-License-Identifier: MIT
// What a file in Chrome's format says of the whole recording, and of its processes and threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "export/json_writer.h"
#include "export/layout.h"
#include "record/events/event_table.h"

namespace aaco::chrome {

// "pid" and "tid" of a row's events.
std::string place_of_row(const EventTable& events, const Layout& layout, const ShownRow& row);

// The rank that a reader gives all events of the file without one of their own; kNoId.
int64_t rank_of_file(const EventTable& events);

// Members of the root but for the events, each with a comma behind it.
void write_root(const EventTable& events, const Layout& layout, JsonWriter& json);

// Names as metadata events, where the trace holds no such events itself.
void write_names(const EventTable& events, const Layout& layout, const std::vector<std::string>& places,
                 JsonWriter& json);

}  // namespace aaco::chrome
