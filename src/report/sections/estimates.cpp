// SPDX-License-Identifier: MIT
#include "report/sections/estimates.h"

#include "report/values.h"

namespace aaco::report {

KeyFigure estimate_figure(const char* label, const std::optional<Estimate>& estimate, std::string_view unit,
                          const std::string& missing) {
  if (!estimate) {
    return {label, "no data", missing, Tone::kWarning};
  }
  return {label, format_in_unit(estimate->value, unit),
          estimate->interval ? "95 % " + format_interval(*estimate->interval, unit) : "no interval: needs 3 processes"};
}

void add_estimate_row(TableBlock& table, const char* name, const std::optional<Estimate>& estimate,
                      std::string_view unit, const std::string& missing) {
  table.rows.push_back(
      {text_cell(name), estimate ? number_cell(estimate->value, unit) : text_cell("no data"),
       text_cell(!estimate            ? missing
                 : estimate->interval ? format_interval_beside(estimate->value, *estimate->interval, unit)
                                      : "needs 3 processes")});
}

void add_quantile_row(TableBlock& table, const char* name, const std::optional<double>& value,
                      const std::optional<Interval>& interval) {
  add_estimate_row(table, name, value ? std::optional(Estimate{*value, interval}) : std::nullopt, "ns",
                   "too few iterations");
}

}  // namespace aaco::report
