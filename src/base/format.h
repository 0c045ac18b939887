// SPDX-License-Identifier: MIT
// How numbers and tables look to a person; one place, so that the terminal, Markdown and HTML agree.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/statistics.h"

namespace aaco {

// "2.61 us", "1.204 ms", "3.2 s": three or four significant digits, the unit chosen by size.
std::string format_duration_ns(double ns);
// "1.204 ms [1.198, 1.211]", or "1.204 ms [interval: needs 3 processes]".
std::string format_estimate_ns(const Estimate& estimate);
// "29.0 MB" (decimal), "1.6 GFLOP", "12.3 GB/s": an SI prefix before `unit`.
std::string format_si(double value, std::string_view unit);
std::string format_percent(double fraction, int decimals = 1);  // 0.123 -> "12.3 %"

// Columns aligned by width; the first row is the header. Numbers (a cell that starts with a digit, sign or "<") go
// right. Cells are made printable.
std::string format_table(std::vector<std::vector<std::string>> rows);

// "1 process", "5 processes".
template <std::integral Count>
std::string counted(Count count, std::string_view singular, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? singular : many);
}

enum class Tone { kGood, kBad, kUncertain };

// `text` in the tone's colour where the file descriptor is a terminal and neither NO_COLOR nor TERM=dumb forbids
// colours; elsewhere as it is.
std::string toned(std::string_view text, Tone tone, int file_descriptor);

}  // namespace aaco
