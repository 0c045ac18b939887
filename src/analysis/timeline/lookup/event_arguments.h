// SPDX-License-Identifier: MIT
// Arguments of an event by name, for analyses that cannot intern one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "record/events/event_table.h"

namespace aaco {

// The last of that name, where it is of the type. Some writers put numbers in quotation marks.
std::optional<int64_t> integer_argument(const EventTable& events, size_t event, std::string_view key);
std::optional<StringId> text_argument(const EventTable& events, size_t event, std::string_view key);  // or JSON

}  // namespace aaco
