// SPDX-License-Identifier: MIT
// A metric is data: what it is, how it is computed, what it needs and what it does not tell. Help, documents and report
// are made from the one table in all_metrics.cpp; each analysis returns values for ids of that table.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/metric/quality.h"
#include "base/json/json_fwd.h"
#include "base/statistics.h"

namespace aaco {

struct MetricInfo {
  const char* id;        // "launch_tax_score"
  const char* title;     // "Kernel launch tax score"
  const char* unit;      // "1", "ns", "FLOP/s", ...
  const char* formula;   // in terms of other ids and recorded columns
  const char* needs;     // planes and facts
  const char* not_told;  // what it does not tell
};

// The whole table, in report order.
std::span<const MetricInfo> all_metrics();
const MetricInfo* find_metric(std::string_view id);

// A value, or the reason why there is none. Never a zero for "unknown".
struct MetricValue {
  std::string id;
  std::optional<double> value;
  std::optional<Interval> interval;
  Quality quality;
};

MetricValue measured(std::string id, double value, std::optional<Interval> interval = std::nullopt);
MetricValue upper_bound(std::string id, double value, std::optional<Interval> interval = std::nullopt);
// Larger than physics as measured here allows: shown, and never used as evidence.
MetricValue suspect(std::string id, double value, std::optional<Interval> interval, const std::string& why);
MetricValue no_data(std::string id, const std::string& reason);

// True for a value that may count as evidence: there, and not suspect.
bool usable(const MetricValue& value);

// The words for everything that only device activity records can tell, and that are missing on a GPU without them.
inline constexpr const char* kNeedsDeviceActivity = "needs device activity";

void to_json(Json& json, const Interval& value);
void from_json(const Json& json, Interval& value);
void to_json(Json& json, const Estimate& value);
void from_json(const Json& json, Estimate& value);

void to_json(Json& json, const MetricValue& value);
void from_json(const Json& json, MetricValue& value);

}  // namespace aaco
