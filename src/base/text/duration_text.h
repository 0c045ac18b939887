// SPDX-License-Identifier: MIT
// Durations that people write, as Prometheus has them: "500ms", "1h30m", "7d".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace aaco {

// Whole numbers with units, from the largest unit down: d, h, m, s, ms; a number alone is seconds and may have a point.
// Nothing for any other text, and for more than 10,000 days.
std::optional<int64_t> duration_ns_of_text(std::string_view text);

// "1h30m", "7d", "500ms": the reverse, without what is below a millisecond. "0s" of nothing.
std::string duration_text(int64_t ns);

}  // namespace aaco
