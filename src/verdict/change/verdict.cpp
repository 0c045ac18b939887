// SPDX-License-Identifier: MIT
#include "verdict/change/verdict.h"

#include "base/text/enum_words.h"

namespace aaco {

namespace {

constexpr EnumWords<Verdict, 5> kVerdicts{{"regressed", "improved", "equivalent", "inconclusive", "invalid"}};
constexpr EnumWords<Severity, 5> kSeverities{{"none", "low", "medium", "high", "critical"}};

}  // namespace

const char* verdict_name(Verdict verdict) { return kVerdicts.word(verdict); }

std::optional<Verdict> parse_verdict(std::string_view text) { return kVerdicts.parse(text); }

const char* severity_name(Severity severity) { return kSeverities.word(severity); }

}  // namespace aaco
