// SPDX-License-Identifier: MIT
// What a driver or a tool prints before the capture that was asked for: "WARNING: AMD GPU device(s) is/are in a
// low-power state."
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "record/events/event_table.h"

namespace aaco {

// How many bytes blank lines and those that begin with a letter take at the start of a text: no JSON begins so.
size_t log_lines_before_json(std::string_view text);

// As metadata, "line 3" of its recording; `number` is from 1. Bytes that are no UTF-8 are replaced.
void keep_log_line(std::string_view line, uint64_t number, uint32_t recording, EventTable& into);

// Each line of a text, the first of which is its first, but those without a letter.
void keep_log_lines(std::string_view text, uint32_t recording, EventTable& into);

}  // namespace aaco
