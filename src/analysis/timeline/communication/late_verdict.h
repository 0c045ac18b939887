// SPDX-License-Identifier: MIT
// Whether a rank comes to collectives last more often than chance explains. Some rank is last in each: of n collectives
// of r equal ranks one of them is last in k or more with the binomial distribution's probability, and any of the ranks
// may be the one, in any of the kinds of collectives that were looked at.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/text/enum_words.h"

namespace aaco {

enum class LateVerdict : uint8_t {
  kUndetermined,  // a rank that is last in all of so few collectives could be so by chance
  kChance,        // not more often than equal ranks may be
  kLate,
};
template <>
inline constexpr EnumWords<LateVerdict, 3> kWordsOf<LateVerdict>{{"undetermined", "chance", "late"}};

// Equal ranks are called late with at most this probability in a trace.
inline constexpr double kFalseLateRanks = 0.005;

// Of the rank that was last in most of `compared` collectives: in `last` of them.
LateVerdict judge_latest(uint64_t last, uint64_t compared, size_t ranks, size_t kinds);

}  // namespace aaco
