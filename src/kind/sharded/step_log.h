// SPDX-License-Identifier: MIT
// training.log_interval, logging.level: a rank's lines about its steps, as the public overlap tool has them, in
// training.output_dir/rank0.log and so on.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

#include "base/result.h"
#include "kind/sharded/config/sharded_run_config.h"
#include "workload/sharded/sharded_step.h"

namespace aaco {

// "epoch=0 step=5 loss=0.3469 ms=2.51": steps from 1, the rank's own loss, milliseconds where the step was timed.
std::string step_line(int64_t epoch, int64_t step, double loss, double step_ns);

class StepLog {
 public:
  // A new file; none where the level is above INFO. `training` must outlive it. Errors: those of writing.
  static Result<StepLog> open(const sharded::ShardedRunConfig& config, const ShardedTraining& training);

  bool is_due(int64_t step) const { return file_.is_open() && step % interval_ == 0; }
  // Reads the loss from the device, which has done the step.
  Result<void> write(int64_t step, double step_ns, DeviceReader& reader);

 private:
  explicit StepLog(const ShardedTraining& training) : training_(&training) {}

  const ShardedTraining* training_;
  int64_t interval_ = 1;
  int64_t epoch_steps_ = 1;
  std::ofstream file_;
};

}  // namespace aaco
