// SPDX-License-Identifier: MIT
// What changed from one trace to the other, first of all.
#pragma once

#include "analysis/timeline/trace_diff/trace_diff.h"
#include "report/headline/headline.h"

namespace aaco::report {

Headline trace_diff_headline(const TraceDiff& diff);

}  // namespace aaco::report
