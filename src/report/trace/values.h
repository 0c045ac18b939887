// SPDX-License-Identifier: MIT
// Values of a trace as the report of a trace writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/json_fwd.h"
#include "record/events/event_table.h"

namespace aaco::report {

inline constexpr size_t kLongestName = 72;  // of a kernel in a table

Json known(int64_t id);  // null where it is not known
std::optional<double> ratio(int64_t part, int64_t whole);
std::string share_text(int64_t part, int64_t whole);  // "12.34 %"
std::string duration_text(int64_t ns);
std::string spaced(std::string_view name);  // an identifier as words
// What people read in place of an id of an analysis: a cause of idle time, a kind of a critical path; others spaced.
std::string people_words(std::string_view id);
std::string device_name(int64_t device);  // "device 1"
// "rank 0 device 1 (file)", with the rank where there is one and the recording where there are several.
std::string of_rank(const std::string& what, const EventTable& events, uint32_t recording, int64_t rank);

}  // namespace aaco::report
