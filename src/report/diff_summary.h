// SPDX-License-Identifier: MIT
// A comparison of two runs in brief: the verdict first, then what it rests on. The page with plots is diff_report.h.
#pragma once

#include "report/report_model.h"
#include "verdict/diff.h"

namespace aaco::report {

Report build_diff_summary(const Diff& diff);

}  // namespace aaco::report
