// SPDX-License-Identifier: MIT
// Two documents of `aaco queue` compared, pair by pair, as a report.
#pragma once

#include "report/report_model.h"
#include "verdict/queue_compare.h"

namespace aaco::report {

Report build_queue_comparison_report(const QueueComparisons& comparisons);

}  // namespace aaco::report
