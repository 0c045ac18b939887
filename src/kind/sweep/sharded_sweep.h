// SPDX-License-Identifier: MIT
// What each change of a sweep did to the time of a step. metrics/overlap.json of the sweep's session.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/statistics.h"
#include "kind/sweep/document/sweep_document.h"
#include "verdict/compare.h"

namespace aaco {

struct ShardedSweepPoint {
  std::string change;  // "fsdp.prefetch_depth=2"; "": the configuration as it is
  bool is_variable = false;
  std::string failure;                // why it was not run, or ended; "": it ran
  std::vector<double> step_ns;        // median step of the slowest rank, by round
  std::vector<double> exposed_ns;     // exposed communication of a step, of the rank with most, by round
  std::vector<std::string> sessions;  // of its trainings, by round
};

struct JudgedSweepPoint {
  ShardedSweepPoint point;
  std::optional<Estimate> step_ns;
  std::optional<double> exposed_ns;  // median over rounds
  Comparison comparison;             // with the configuration as it is, in pairs by round; of a change
  std::string words;                 // "faster", "changed nothing (within 2 %)", ...
};

struct ShardedSweep : SweepHead {
  static constexpr SweepForm kForm{"overlap_sweep", "aaco overlap sweep", "points"};

  std::string config;  // file; "": the defaults
  std::vector<std::string> overrides;
  std::vector<std::string> devices;
  int64_t rounds = 0;
  std::vector<JudgedSweepPoint> points;  // the first is the configuration as it is
  std::string best;                      // change that is shown to be fastest; "": none is shown to be faster
};

// `points` begins with the configuration as it is. All comparisons together call one faster or slower wrongly with a
// probability of kVerdictLevel at most (Bonferroni).
ShardedSweep judge_sweep(std::vector<ShardedSweepPoint> points, int64_t rounds);

void to_json(Json& json, const ShardedSweep& sweep);

// Judged again from the points' times. Errors: as damaged_sweep, also for times that are none.
Result<ShardedSweep> read_sharded_sweep(const Json& json, std::string_view source);

}  // namespace aaco
