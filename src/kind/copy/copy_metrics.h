// SPDX-License-Identifier: MIT
// What copies beside matrix products are measured by, each figure named once.
#pragma once

#include <vector>

#include "analysis/metric/metric_rows.h"
#include "kind/copy/copy_document.h"

namespace aaco {

// Of each direction the same figures; their ids begin with it: "d2h.copy_time".
std::vector<MetricRow> copy_metrics(const CopyDocument& document);

// Why there is no share of what could be saved.
const char* why_no_ideal_share(const CopyFigures& figures);

// Why nothing is known of the time of a direction's copies, where nothing is.
const char* why_no_copy_time(const CopyFigures& figures);

}  // namespace aaco
