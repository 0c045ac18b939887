// SPDX-License-Identifier: MIT
// Element-wise kernels that follow each other on a stream: what a compiler could put into one.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/timeline/operators/operator_links.h"
#include "analysis/timeline/operators/operator_works.h"

namespace aaco {

// Of one rank of a recording. Whether a kernel reads what the one before wrote is not recorded: an upper bound.
struct ElementwiseRuns {
  uint32_t recording = 0;
  int64_t rank = kNoId;
  uint64_t runs = 0;  // of at least two
  uint64_t kernels = 0;
  int64_t total_ns = 0;           // sum of durations
  int64_t longest_ns = 0;         // sum of each run's longest: what the runs take at least when fused
  std::vector<StringId> example;  // operators of the longest run by kernels, in order; at most eight
};

// Of each of the ranks. Copies, fills and conversions count as element-wise.
std::vector<ElementwiseRuns> elementwise_runs(const EventTable& events, const std::vector<RankOperators>& ranks,
                                              OperatorWorks& works);

}  // namespace aaco
