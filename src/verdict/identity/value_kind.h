// SPDX-License-Identifier: MIT
// What the values of a sample are: durations, or numbers that were given, of which less or more is better.
#pragma once

#include <cstdint>
#include <string>

#include "base/text/enum_words.h"
#include "verdict/identity/work_facts.h"

namespace aaco {

enum class ValueKind : uint8_t { kTime, kNumber, kRate };
template <>
inline constexpr EnumWords<ValueKind, 3> kWordsOf<ValueKind>{{"time", "number", "rate"}};

// Nanoseconds for each at a rate a second; and back.
constexpr double time_of_rate(double per_second) { return 1e9 / per_second; }
constexpr double rate_of_time(double ns) { return 1e9 / ns; }

// A value of a sample as it was given: of a rate the sample holds the time for each.
constexpr double as_given(ValueKind kind, double value) {
  return kind == ValueKind::kRate ? rate_of_time(value) : value;
}
// Of a value as it was given: "3.2 ms", "812".
std::string value_text(ValueKind kind, double value);

// A comparison takes values of another unit, or with another direction, for other work. `unit`: "" for none.
void describe_values(const std::string& unit, bool higher_is_better, WorkFacts& work);
// Times, where nothing was described.
ValueKind value_kind_of(const WorkFacts& work);

}  // namespace aaco
