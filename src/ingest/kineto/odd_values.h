// SPDX-License-Identifier: MIT
// Values of events that are not written as the format has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ingest/chrome/raw_event.h"
#include "record/events/loss_table.h"

namespace aaco {

// Of a number that some writers put in quotation marks, or write with a fraction of zeros.
std::optional<int64_t> whole_number(const chrome::RawValue& value);

// What it means that a value is no JSON: more where figures need it. None of a time: without one the event is a loss.
std::optional<Loss> loss_of_unread(const chrome::UnreadValue& value);

// Whether an event is "{}", which some writers (XLA's) end the list with.
bool says_nothing(const chrome::RawEvent& event);

// Of "distributedInfo", a number or one in quotation marks. `is_json`: whether it can be read at all.
std::optional<int64_t> rank_of_file(std::string_view json, bool& is_json);

}  // namespace aaco
