// SPDX-License-Identifier: MIT
// Figures of a trace that cannot be right, or need an explanation: operators faster than their roof, and backward
// passes that compute or take too little or too much for their forward.
#pragma once

#include <string>
#include <vector>

#include "analysis/timeline/operators/backward_ratio.h"
#include "analysis/timeline/operators/operator_roofline.h"

namespace aaco {

struct Suspect {
  uint32_t recording = 0;
  int64_t rank = kNoId;
  std::string kind;     // "compute roof", "memory roof", "backward FLOPs", "backward time"
  std::string subject;  // "aten::mm [[64, 64], [64, 64]]"
  double value = 0;     // of the roof; backward over forward
  std::string evidence;
  std::string explanation;  // of a harmless cause that the trace allows; "" where there is none
};

// The unexplained first, then by device time.
std::vector<Suspect> find_suspects(const EventTable& events, const std::vector<RankRoofline>& rooflines,
                                   const std::vector<BackwardRatio>& ratios);

}  // namespace aaco
