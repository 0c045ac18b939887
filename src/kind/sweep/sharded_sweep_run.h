// SPDX-License-Identifier: MIT
// Trainings that differ by one key or one variable of the environment each, against the configuration as it is; every
// round runs all of them, each round in another order.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "kind/sweep/sharded_sweep.h"
#include "kind/sweep/sweep_run.h"

namespace aaco {

struct ShardedDocument;

// "fsdp.prefetch_depth" or "NCCL_ALGO", and what it is to be.
struct ShardedSweepAxis {
  std::string name;
  bool is_variable = false;
  std::vector<std::string> values;
};

// "NAME=1,2,4". Errors: kUsage for what is none.
Result<ShardedSweepAxis> parse_sweep_axis(const std::string& text, bool is_variable);

struct ShardedSweepRequest {
  std::string config;  // file; "": the defaults
  std::vector<std::string> overrides;
  std::vector<ShardedSweepAxis> axes;
  std::vector<std::string> devices;
  int64_t rounds = 5;
  bool kernel_plane = false;
  std::string sessions;
  std::vector<std::string> command_line;
};

// The points: first the configuration as it is, then each value of each axis. A value that cannot be trained is a point
// with the reason, and is not run. Errors: kUsage where the configuration itself cannot be, where there is no axis, or
// for a variable whose name no library reads.
Result<std::vector<ShardedSweepPoint>> sweep_points(const ShardedSweepRequest& request);

// Of a sweep that ended early: rounds that not all points have are left out, for they have no pairs. How many are left.
int64_t cut_to_whole_rounds(std::vector<ShardedSweepPoint>& points);

// Adds a training's times to its point. Errors: kInvalid where a rank measured no step, and so has no time.
Result<void> keep_round(const ShardedDocument& document, ShardedSweepPoint& point);

// The first failure of the configuration as it is ends it; a point that fails later says so. Errors: kUsage of the
// request; what ended it before anything was measured.
Result<SweepOutcome<ShardedSweep>> run_sharded_sweep(const ShardedSweepRequest& request,
                                                     const ProgressCallback& progress);

// One more round of two recorded sweeps, the trainings of one place beside each other: the two new bundles. A point
// that was not trained then is left out. Errors: as sharded_request_again, of the points' sessions, and run_sharded.
Result<std::pair<std::filesystem::path, std::filesystem::path>> rerun_sharded_sweeps(
    const std::filesystem::path& baseline, const std::filesystem::path& test, const std::string& sessions,
    const ProgressCallback& progress);

}  // namespace aaco
