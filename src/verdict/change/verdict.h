// SPDX-License-Identifier: MIT
// The words of a comparison.
#pragma once

#include <optional>
#include <string_view>

namespace aaco {

enum class Verdict { kRegressed, kImproved, kEquivalent, kInconclusive, kInvalid };
const char* verdict_name(Verdict verdict);  // "regressed", ...
std::optional<Verdict> parse_verdict(std::string_view text);

// Of a regression that was shown; kNone: none was.
enum class Severity { kNone, kLow, kMedium, kHigh, kCritical };
const char* severity_name(Severity severity);  // "none", ...

inline constexpr double kVerdictLevel = 0.01;       // of a false alarm: of the one-sided test of regressed, of improved
inline constexpr double kVerdictConfidence = 0.98;  // of the interval that is both tests: 1 - 2 kVerdictLevel
inline constexpr double kEquivalenceConfidence = 0.90;  // of the interval that decides equivalent

}  // namespace aaco
