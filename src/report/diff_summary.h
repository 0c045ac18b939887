// SPDX-License-Identifier: MIT
// A comparison of two runs in brief: the verdict first, then what it rests on. The page with plots is diff_report.h.
#pragma once

#include <cstddef>

#include "report/report_model.h"
#include "verdict/diff.h"

namespace aaco::report {

inline constexpr size_t kMostNodes = 10;

// `most_nodes`: rows of the nodes with the largest terms.
Report build_diff_summary(const Diff& diff, size_t most_nodes = kMostNodes);

}  // namespace aaco::report
