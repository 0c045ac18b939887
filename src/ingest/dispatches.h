// SPDX-License-Identifier: MIT
// A dispatch of a kernel that a recording holds several times, because its counters were taken in passes or stand in a
// file of their own.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/event_table.h"

namespace aaco {

// Leaves one timed event of each dispatch, known by its device and its argument `id_key`; the others become untimed
// and keep their length; their times should be among their arguments. `spare`: only events of that category, where
// another holds the dispatch too; without it, all but the first. Events without the argument are no concern of this.
void count_dispatches_once(EventTable& events, uint32_t recording, std::string_view id_key,
                           std::string_view spare = {});

}  // namespace aaco
