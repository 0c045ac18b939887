// SPDX-License-Identifier: MIT
// Several comparisons of one command, pair by pair, as a report.
#pragma once

#include <string>

#include "report/report_model.h"
#include "verdict/pair_comparisons.h"

namespace aaco::report {

// `what` was compared: "time per unit", "step".
Report build_pair_comparison_report(const PairComparisons& comparisons, const std::string& what);

}  // namespace aaco::report
