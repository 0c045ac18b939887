// SPDX-License-Identifier: MIT
// Values of a trace as the report of a trace writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/timeline/memory/most_over_time.h"
#include "base/json_fwd.h"
#include "trace/event_table.h"

namespace aaco::report {

inline constexpr size_t kLongestName = 72;  // of a kernel in a table

Json id_json(int64_t id);  // null where it is not known
Json timeline_json(const std::vector<MostInPart>& timeline);
std::optional<double> ratio(int64_t part, int64_t whole);
std::string share_text(int64_t part, int64_t whole);  // "12.34 %"
std::string duration_text(int64_t ns);
std::string spaced(std::string_view name);  // an identifier as words
// "rank 0 device 1 (file)", with the rank where there is one and the recording where there are several.
std::string of_rank(const std::string& what, const EventTable& events, uint32_t recording, int64_t rank);

}  // namespace aaco::report
