// SPDX-License-Identifier: MIT
#include "monitor/metric.h"

#include <cmath>

namespace aaco {

void MetricSet::add(const FamilyInfo& info, MetricLabels labels, double value) {
  if (!std::isfinite(value)) {
    return;
  }
  for (MetricFamily& family : families_) {
    if (family.info.name == info.name) {
      family.points.push_back({std::move(labels), value});
      return;
    }
  }
  families_.push_back({info, {{std::move(labels), value}}});
}

const MetricFamily* MetricSet::find(std::string_view name) const {
  for (const MetricFamily& family : families_) {
    if (family.info.name == name) {
      return &family;
    }
  }
  return nullptr;
}

std::string sample_name(const FamilyInfo& info) {
  switch (info.type) {
    case MetricType::kCounter:
      return info.name + "_total";
    case MetricType::kInfo:
      return info.name + "_info";
    default:
      return info.name;
  }
}

}  // namespace aaco
