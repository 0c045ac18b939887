// SPDX-License-Identifier: MIT
// A metric is data: what it is, how it is computed, what it needs and what it does not tell. Help, documents and report
// are made from the one table in all_metrics.cpp; each analysis returns values for ids of that table.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/statistics.h"

namespace aaco {

struct MetricInfo {
  const char* id;         // "launch_tax_score"
  const char* title;      // "Kernel launch tax score"
  const char* unit;       // "1", "ns", "FLOP/s", ...
  const char* formula;    // in terms of other ids and recorded columns
  const char* needs;      // planes and facts
  const char* not_told;   // what it does not tell
};

// The whole table, in report order.
std::span<const MetricInfo> all_metrics();
const MetricInfo* find_metric(std::string_view id);

// A value, or the reason why there is none. Never a zero for "unknown".
struct MetricValue {
  std::string id;
  std::optional<double> value;
  std::optional<Interval> interval;
  std::string quality;  // "measured", "upper bound", "suspect: ...", "no data: ..."
};

MetricValue measured(std::string id, double value, std::optional<Interval> interval = std::nullopt);
MetricValue no_data(std::string id, std::string reason);

void to_json(Json& json, const MetricValue& value);
void from_json(const Json& json, MetricValue& value);

}  // namespace aaco
