// SPDX-License-Identifier: MIT
// A dispatch of a kernel that a recording holds several times, because its counters were taken in passes or stand in a
// file of their own. Of each dispatch, known by its device and an argument, one timed event stays; the others become
// untimed and keep their length; their times should be among their arguments. Events without the argument are no
// concern of this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "record/events/event_table.h"

namespace aaco {

// Of events of the category `spare`, where another holds the dispatch too.
void count_dispatches_once(EventTable& events, uint32_t recording, std::string_view id_key, std::string_view spare);

// Of the files of a workload, which are added one by one: called after each, whose events begin with `first`. The times
// of the one before stay, but where `tells_times`: then those of this one. Two files may number their dispatches from
// another begin: of what they both have with device, name, start and end, but under two numbers, the row that says less
// is none then, but of kind "other".
void count_passes_once(EventTable& events, uint32_t recording, std::string_view id_key, size_t first, bool tells_times);

}  // namespace aaco
