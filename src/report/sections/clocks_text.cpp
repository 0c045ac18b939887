// SPDX-License-Identifier: MIT
#include "report/sections/clocks_text.h"

#include <fmt/format.h>

#include "base/format.h"
#include "report/values.h"

namespace aaco::report {

namespace {

Cell clock_cell(const std::optional<double>& mhz) {
  constexpr double kMega = 1e6;
  return optional_cell(mhz ? std::optional(kMega * *mhz) : std::nullopt, "Hz");
}

// "power cap 12.0 %, ...": which reasons held in how many samples.
std::string reasons_of(const DeviceClocks& clocks) {
  std::string text;
  for (const auto& [reason, share] : clocks.reason_shares) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", reason, format_percent(share));
  }
  return text;
}

}  // namespace

TableBlock clocks_table(std::span<const DeviceClocks> devices) {
  TableBlock table{.id = "clocks",
                   .columns = {{"device"},
                               {"clock, median", true},
                               {"lowest", true},
                               {"of memory", true},
                               {"power, median", true},
                               {"most", true},
                               {"temperature, most", true},
                               {"samples", true},
                               {"throttled", true},
                               {"why"}}};
  for (const DeviceClocks& clocks : devices) {
    Cell throttled = percent_cell(clocks.throttled_share);
    throttled.tone = clocks.throttled_share.value_or(0) > 0 ? Tone::kWarning : Tone::kNeutral;
    table.rows.push_back({text_cell(clocks.device), clock_cell(clocks.core_clock_p50_mhz),
                          clock_cell(clocks.core_clock_min_mhz), clock_cell(clocks.memory_clock_p50_mhz),
                          optional_cell(clocks.power_p50_w, "W"), optional_cell(clocks.power_max_w, "W"),
                          optional_cell(clocks.temperature_max_c, "C"), count_cell(clocks.samples), throttled,
                          clocks.no_data.empty() ? text_cell(reasons_of(clocks)) : missing_cell(clocks.no_data)});
  }
  return table;
}

}  // namespace aaco::report
