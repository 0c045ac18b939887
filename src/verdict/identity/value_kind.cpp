// SPDX-License-Identifier: MIT
#include "verdict/identity/value_kind.h"

#include <fmt/format.h>

#include "base/format.h"

namespace aaco {

namespace {

constexpr const char* kGroup = "figure";
constexpr const char* kUnit = "unit";
constexpr const char* kBetter = "better";
constexpr const char* kMore = "more";

}  // namespace

std::string value_text(ValueKind kind, double value) {
  return kind == ValueKind::kTime ? format_duration_ns(value) : fmt::format("{:.6g}", value);
}

void describe_values(const std::string& unit, bool higher_is_better, WorkFacts& work) {
  auto& group = work[kGroup];
  group[kUnit].value = unit.empty() ? "none" : unit;
  group[kBetter].value = higher_is_better ? kMore : "less";
}

ValueKind value_kind_of(const WorkFacts& work) {
  const auto group = work.find(kGroup);
  if (group == work.end()) {
    return ValueKind::kTime;
  }
  const auto is = [&](const char* key, const char* value) {
    const auto fact = group->second.find(key);
    return fact != group->second.end() && fact->second.value == value;
  };
  return is(kBetter, kMore) ? ValueKind::kRate : is(kUnit, "ns") ? ValueKind::kTime : ValueKind::kNumber;
}

}  // namespace aaco
