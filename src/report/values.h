// SPDX-License-Identifier: MIT
// Numbers with their units as a report writes them; adds to base/format.h what takes a unit's name from data.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json/json_fwd.h"
#include "base/statistics.h"
#include "report/report_model.h"

namespace aaco::report {

// `unit` as in metric.h and rows.h: "ns" gives "1.2 ms", "1" a plain number, "%" a percentage, others an SI prefix.
std::string format_in_unit(double value, std::string_view unit);
// "[1.1, 1.3] ms", or "[900 us, 1.3 ms]" where the units differ.
std::string format_interval(const Interval& interval, std::string_view unit);
// "[1.1, 1.3]" where the unit is that of `value`, else as format_interval.
std::string format_interval_beside(double value, const Interval& interval, std::string_view unit);
// "1.2 ms [1.1, 1.3]".
std::string format_with_interval(double value, const std::optional<Interval>& interval, std::string_view unit);
// "1,234,567".
std::string format_count(int64_t count);

// A scalar as a person reads it: strings without quotes, null as "not known".
std::string format_json(const Json& value);

// Cells that sort by number.
Cell number_cell(double value, std::string_view unit);
Cell interval_cell(double value, const std::optional<Interval>& interval, std::string_view unit);
Cell optional_cell(const std::optional<double>& value, std::string_view unit);
// `missing`: why there is no estimate.
Cell estimate_cell(const std::optional<Estimate>& estimate, std::string_view unit, std::string missing = "no data");
// A fraction as a percentage.
Cell percent_cell(const std::optional<double>& fraction, std::string missing = "no data");
Cell percent_cell(const std::optional<double>& fraction, const std::optional<Interval>& interval,
                  std::string missing = "no data");
Cell change_cell(const std::optional<double>& before, const std::optional<double>& after, std::string_view unit);
Cell duration_cell(const std::optional<double>& ns);
Cell count_cell(int64_t count);
Cell missing_cell(std::string reason);  // goes below all numbers
Cell text_cell(std::string text, Tone tone = Tone::kNeutral);

}  // namespace aaco::report
