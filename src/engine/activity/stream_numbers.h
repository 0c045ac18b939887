// SPDX-License-Identifier: MIT
// The streams of a program among the tracks of what a collector recorded, which have the device's own numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/events/event_table.h"
#include "workload/dispatch.h"

namespace aaco {

// By track; none where it is no stream of the program.
std::vector<std::optional<int32_t>> stream_numbers(const EventTable& events, const ProgramTarget& target);

// Names the recording, and numbers the program's streams as the program does; any other keeps the device's own number.
void name_recording(EventTable& events, const ProgramTarget& target, std::string name);

}  // namespace aaco
