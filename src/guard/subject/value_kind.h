// SPDX-License-Identifier: MIT
// What the values of a sample are: durations, or numbers that were given, of which less or more is better.
#pragma once

#include <cstdint>
#include <string>

#include "base/text/enum_words.h"
#include "verdict/run_sample.h"

namespace aaco {

enum class ValueKind : uint8_t { kTime, kNumber, kRate };
template <>
inline constexpr EnumWords<ValueKind, 3> kWordsOf<ValueKind>{{"time", "number", "rate"}};

// Nanoseconds for each at a rate a second; and back.
constexpr double time_of_rate(double per_second) { return 1e9 / per_second; }
constexpr double rate_of_time(double ns) { return 1e9 / ns; }

// A comparison takes values of another unit, or with another direction, for other work. `unit`: "" for none.
void describe_values(const std::string& unit, bool higher_is_better, SampleConfiguration& configuration);
// Times, where nothing was described.
ValueKind value_kind_of(const SampleConfiguration& configuration);

}  // namespace aaco
