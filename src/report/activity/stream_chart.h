// SPDX-License-Identifier: MIT
// What ran on each stream of each device, one span for each piece of work.
#pragma once

#include <string>

#include "record/events/event_table.h"
#include "report/plot/chart.h"

namespace aaco::report {

// Of the first recording that has device work: processes of one run do the same. Of more than a picture can show, the
// middle of it; the caption says how much that is.
plot::Chart stream_chart(const EventTable& events, std::string title);

}  // namespace aaco::report
