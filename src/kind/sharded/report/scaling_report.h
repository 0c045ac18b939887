// SPDX-License-Identifier: MIT
// Weak scaling as a report: what was measured, and what is predicted, labelled so.
#pragma once

#include "kind/sharded/analysis/weak_scaling.h"
#include "report/report_model.h"

namespace aaco::report {

// What `aaco overlap report --scaling` prints.
Report build_scaling_report(const WeakScaling& scaling);

}  // namespace aaco::report
