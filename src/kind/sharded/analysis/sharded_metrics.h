// SPDX-License-Identifier: MIT
// What a sharded training is measured by, each figure named once.
#pragma once

#include <vector>

#include "analysis/metric/metric_rows.h"
#include "kind/sharded/analysis/sharded_document.h"

namespace aaco {

std::vector<MetricRow> sharded_metrics(const ShardedDocument& document);

}  // namespace aaco
