// SPDX-License-Identifier: MIT
// The headlines of comparisons: of two runs, of two lists of them.
#pragma once

#include <string>

#include "base/json/json_fwd.h"
#include "report/headline/headline.h"
#include "verdict/pair_comparisons.h"

namespace aaco::report {

// "slower", "too noisy to tell".
std::string verdict_words(Verdict verdict);

// Of regress/verdict.json, and of the nodes of regress/diff.json where there are any.
Headline diff_headline(const Json& verdict, const Json* nodes);

// `what` was compared: "time per unit", "step".
Headline pairs_headline(const PairComparisons& comparisons, const std::string& what);

}  // namespace aaco::report
