// SPDX-License-Identifier: MIT
// Backward against forward: a product of matrices has two gradients that cost as much as itself, so that training
// without recomputation computes twice as much backward as forward. What deviates has gradients that are missing (a
// graph cut by detach), or computes more than it says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/timeline/operators/operator_links.h"
#include "analysis/timeline/operators/operator_works.h"
#include "cost/call_work.h"
#include "record/events/event_table.h"

namespace aaco {

struct Range {
  double low = 0;
  double high = 0;
  bool holds(double value) const { return value >= low && value <= high; }
};

// The products of one family on one rank: those on record with known FLOPs. Backward is what the autograd engine
// evaluates; an operator by its name forward in there is computed again.
struct BackwardRatio {
  uint32_t recording = 0;
  int64_t rank = kNoId;
  OpFamily family = OpFamily::kProduct;
  double forward_flops = 0;
  double backward_flops = 0;
  double recomputed_flops = 0;
  int64_t forward_ns = 0;  // device time, by sum
  int64_t backward_ns = 0;
  int64_t unknown_ns = 0;  // of what the engine evaluated without known FLOPs, of any family
  Range flops_expected;
  Range time_expected;

  std::optional<double> flops_ratio() const;
  std::optional<double> time_ratio() const;
};

// Of each rank on which the engine evaluated something, and each family that ran forward there.
std::vector<BackwardRatio> backward_ratios(const EventTable& events, const std::vector<RankOperators>& ranks,
                                           OperatorWorks& works);

}  // namespace aaco
