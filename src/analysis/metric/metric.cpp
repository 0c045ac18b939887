// SPDX-License-Identifier: MIT
#include "analysis/metric/metric.h"

#include <utility>

namespace aaco {

MetricValue measured(std::string id, double value, std::optional<Interval> interval) {
  return {std::move(id), value, interval, {QualityKind::kMeasured, ""}};
}

MetricValue upper_bound(std::string id, double value, std::optional<Interval> interval) {
  return {std::move(id), value, interval, {QualityKind::kUpperBound, ""}};
}

MetricValue suspect(std::string id, double value, std::optional<Interval> interval, const std::string& why) {
  return {std::move(id), value, interval, {QualityKind::kSuspect, why}};
}

MetricValue no_data(std::string id, const std::string& reason) {
  return {std::move(id), std::nullopt, std::nullopt, {QualityKind::kNoData, reason}};
}

bool usable(const MetricValue& value) { return value.value && value.quality.kind != QualityKind::kSuspect; }

const MetricInfo* find_metric(std::string_view id) {
  for (const MetricInfo& info : all_metrics()) {
    if (id == info.id) {
      return &info;
    }
  }
  return nullptr;
}

}  // namespace aaco
