// SPDX-License-Identifier: MIT
#include "report/values.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "base/format.h"
#include "base/json/json.h"

namespace aaco::report {

namespace {

// "1.2 ms" into "1.2" and " ms".
std::pair<std::string, std::string> split_unit(const std::string& text) {
  const size_t space = std::min(text.find(' '), text.size());
  return {text.substr(0, space), text.substr(space)};
}

std::string plain_number(double value) {
  const double size = std::abs(value);
  if (size >= 1e9) {
    return format_si(value, "");
  }
  return size >= 1e4 ? format_count(std::llround(value)) : fmt::format("{:.4g}", value);
}

}  // namespace

std::string format_in_unit(double value, std::string_view unit) {
  if (!std::isfinite(value)) {
    return "not finite";
  }
  if (unit == "ns") {
    return format_duration_ns(value);
  }
  if (unit == "ms") {
    return format_duration_ns(value * 1e6);
  }
  if (unit == "%") {
    return fmt::format("{:.1f} %", value);
  }
  if (unit.empty() || unit == "1") {
    return plain_number(value);
  }
  if (unit == "1/s") {
    return format_si(value, "/s");
  }
  // Things per second ("tokens/s"), and ratios of units, read badly with a prefix.
  if ((unit.ends_with("s/s") && unit != "bytes/s") || unit == "FLOP/byte" || unit == "GB/s") {
    return plain_number(value) + " " + std::string(unit);
  }
  return format_si(value, unit == "bytes" ? "B" : unit == "bytes/s" ? "B/s" : unit);
}

std::string format_interval(const Interval& interval, std::string_view unit) {
  const auto [low, low_unit] = split_unit(format_in_unit(interval.low, unit));
  const auto [high, high_unit] = split_unit(format_in_unit(interval.high, unit));
  if (low_unit == high_unit) {
    return "[" + low + ", " + high + "]" + high_unit;
  }
  return "[" + low + low_unit + ", " + high + high_unit + "]";
}

std::string format_interval_beside(double value, const Interval& interval, std::string_view unit) {
  std::string range = format_interval(interval, unit);
  const std::string value_unit = split_unit(format_in_unit(value, unit)).second;
  if (!value_unit.empty() && range.ends_with("]" + value_unit)) {
    range.resize(range.size() - value_unit.size());
  }
  return range;
}

std::string format_with_interval(double value, const std::optional<Interval>& interval, std::string_view unit) {
  const std::string number = format_in_unit(value, unit);
  return interval ? number + " " + format_interval_beside(value, *interval, unit) : number;
}

std::string format_count(int64_t count) {
  std::string digits = std::to_string(count);
  for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > (count < 0 ? 1 : 0); place -= 3) {
    digits.insert(static_cast<size_t>(place), ",");
  }
  return digits;
}

std::string format_json(const Json& value) {
  if (value.is_null()) {
    return "not known";
  }
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (value.is_boolean()) {
    return value.get<bool>() ? "yes" : "no";
  }
  // Invalid UTF-8 is replaced rather than thrown about.
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Cell number_cell(double value, std::string_view unit) { return {.number = Number{value, std::string(unit)}}; }

Cell interval_cell(double value, const std::optional<Interval>& interval, std::string_view unit) {
  return {.number = Number{value, std::string(unit), interval}};
}

Cell optional_cell(const std::optional<double>& value, std::string_view unit) {
  return value ? number_cell(*value, unit) : missing_cell("no data");
}

Cell estimate_cell(const std::optional<Estimate>& estimate, std::string_view unit, std::string missing) {
  return estimate ? interval_cell(estimate->value, estimate->interval, unit) : missing_cell(std::move(missing));
}

Cell percent_cell(const std::optional<double>& fraction, std::string missing) {
  return percent_cell(fraction, std::nullopt, std::move(missing));
}

Cell percent_cell(const std::optional<double>& fraction, const std::optional<Interval>& interval, std::string missing) {
  constexpr double kHundred = 100;
  if (!fraction) {
    return missing_cell(std::move(missing));
  }
  return interval_cell(
      kHundred * *fraction,
      interval ? std::optional(Interval{kHundred * interval->low, kHundred * interval->high}) : std::nullopt, "%");
}

Cell change_cell(const std::optional<double>& before, const std::optional<double>& after, std::string_view unit) {
  const auto number = [&](const std::optional<double>& value) {
    return value ? std::optional(Number{*value, std::string(unit)}) : std::nullopt;
  };
  return {.transition = std::make_shared<const Transition>(number(before), number(after))};
}

Cell duration_cell(const std::optional<double>& ns) { return optional_cell(ns, "ns"); }

Cell count_cell(int64_t count) { return {.number = Number{count, "1"}}; }

Cell missing_cell(std::string reason) { return {.order = -1, .reason = std::move(reason)}; }

Cell text_cell(std::string text, Tone tone) { return {.text = std::move(text), .tone = tone}; }

}  // namespace aaco::report
