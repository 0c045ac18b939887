// SPDX-License-Identifier: MIT
// Whether what is said is good news.
#pragma once

#include "base/text/enum_words.h"

namespace aaco::report {

enum class Tone { kNeutral, kGood, kWarning, kBad };

}  // namespace aaco::report

template <>
inline constexpr aaco::EnumWords<aaco::report::Tone, 4> aaco::kWordsOf<aaco::report::Tone>{
    {"neutral", "good", "warning", "bad"}};
