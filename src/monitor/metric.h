// SPDX-License-Identifier: MIT
// Metrics as Prometheus and OpenTelemetry both know them: families of points that labels tell apart. A value that could
// not be read is no point: never zero, never a number that stands for "unknown".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/enum_words.h"

namespace aaco {

enum class MetricType { kGauge, kCounter, kInfo };
template <>
inline constexpr EnumWords<MetricType, 3> kWordsOf<MetricType>{{"gauge", "counter", "info"}};

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

struct FamilyInfo {
  std::string name;  // ends with its unit; without the _total of a counter and the _info of an info
  MetricType type = MetricType::kGauge;
  std::string unit;  // "celsius"; empty: a count, or nothing at all
  std::string help;
};

struct MetricPoint {
  MetricLabels labels;
  double value = 0;
};

struct MetricFamily {
  FamilyInfo info;
  std::vector<MetricPoint> points;
};

// Families in the order in which they came.
class MetricSet {
 public:
  void add(const FamilyInfo& info, MetricLabels labels, double value);
  const std::vector<MetricFamily>& families() const { return families_; }
  const MetricFamily* find(std::string_view name) const;

 private:
  std::vector<MetricFamily> families_;
};

// The name that a point has: with _total of a counter, _info of an info.
std::string sample_name(const FamilyInfo& info);

}  // namespace aaco
