// SPDX-License-Identifier: MIT
// Two sessions of `aaco overlap copy`, direction by direction and variant by variant, and two of `aaco overlap sweep`,
// change by change.
#pragma once

#include "analysis/overlap/copy_document.h"
#include "verdict/overlap_sweep.h"
#include "verdict/pair_comparisons.h"

namespace aaco {

// Pure. Other devices, sizes or precisions are differences of configuration.
PairComparisons compare_copies(const CopyDocument& baseline, const CopyDocument& test, const CompareOptions& options);

// Pure. Another configuration file, other overrides or devices are differences of configuration.
PairComparisons compare_overlap_sweeps(const OverlapSweep& baseline, const OverlapSweep& test,
                                       const CompareOptions& options);

}  // namespace aaco
