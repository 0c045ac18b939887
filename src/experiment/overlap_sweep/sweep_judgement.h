// SPDX-License-Identifier: MIT
// What each change of a sweep did to the time of a step.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/statistics.h"
#include "verdict/compare.h"

namespace aaco {

struct OverlapSweepPoint {
  std::string change;  // "fsdp.prefetch_depth=2"; "": the configuration as it is
  bool is_variable = false;
  std::string failure;             // why it was not run, or ended; "": it ran
  std::vector<double> step_ns;     // median step of the slowest rank, by round
  std::vector<double> exposed_ns;  // exposed communication of a step, of the rank with most, by round
};

struct JudgedSweepPoint {
  OverlapSweepPoint point;
  std::optional<Estimate> step_ns;
  std::optional<double> exposed_ns;  // median over rounds
  Comparison comparison;             // with the configuration as it is, in pairs by round; of a change
  std::string words;                 // "faster", "changed nothing (within 2 %)", ...
};

struct OverlapSweep {
  std::vector<std::string> devices;
  int64_t rounds = 0;
  std::vector<JudgedSweepPoint> points;  // the first is the configuration as it is
  std::string best;                      // change that is shown to be fastest; "": none is shown to be faster
};

// `points` begins with the configuration as it is. All comparisons together call one faster or slower wrongly with a
// probability of kVerdictLevel at most (Bonferroni).
OverlapSweep judge_sweep(std::vector<OverlapSweepPoint> points, int64_t rounds);

Json sweep_json(const OverlapSweep& sweep);
std::string sweep_text(const OverlapSweep& sweep);

}  // namespace aaco
