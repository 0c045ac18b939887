// SPDX-License-Identifier: MIT
#include "guard/subject/value_kind.h"

namespace aaco {

namespace {

constexpr const char* kGroup = "figure";
constexpr const char* kUnit = "unit";
constexpr const char* kBetter = "better";
constexpr const char* kMore = "more";

}  // namespace

void describe_values(const std::string& unit, bool higher_is_better, SampleConfiguration& configuration) {
  auto& group = configuration.work[kGroup];
  group[kUnit].value = unit.empty() ? "none" : unit;
  group[kBetter].value = higher_is_better ? kMore : "less";
}

ValueKind value_kind_of(const SampleConfiguration& configuration) {
  const auto group = configuration.work.find(kGroup);
  if (group == configuration.work.end()) {
    return ValueKind::kTime;
  }
  const auto is = [&](const char* key, const char* value) {
    const auto fact = group->second.find(key);
    return fact != group->second.end() && fact->second.value == value;
  };
  return is(kBetter, kMore) ? ValueKind::kRate : is(kUnit, "ns") ? ValueKind::kTime : ValueKind::kNumber;
}

}  // namespace aaco
