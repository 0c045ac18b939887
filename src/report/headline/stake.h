// SPDX-License-Identifier: MIT
// What an offender could save of the whole: of a latency, of a trace's window.
#pragma once

#include <string>

#include "analysis/model_run/results.h"

namespace aaco::report {

double stake_share(const Offender& offender);

// Below a hundredth of the whole, advice is counted and not told.
bool is_worth_a_line(const Offender& offender);

// Of an operator whose work nobody has counted nothing is known to be saved.
bool names_a_remedy(const Offender& offender);

// "could save up to 2.055 ms (58.8 % of the window)"; where that is unknown, why.
std::string stake_words(const Offender& offender, const std::string& whole);

}  // namespace aaco::report
