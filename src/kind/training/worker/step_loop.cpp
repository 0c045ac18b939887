// SPDX-License-Identifier: MIT
#include "kind/training/worker/step_loop.h"

#include "base/interrupt.h"

namespace aaco {

Result<void> StepLoop::run(int64_t warmup, int64_t steps) {
  for (int64_t i = 0; i < warmup && !interrupted(); ++i) {
    AACO_TRY(step(JournalPhase::kWarmup));
  }
  dispatch_ns_.clear();
  step_ns_.clear();
  outside_ns_ = 0;
  start_();
  const Ticks start = read_ticks();
  for (int64_t i = 0; i < steps && !interrupted(); ++i) {
    AACO_TRY(step(JournalPhase::kMeasure));
  }
  wall_ns_ = recorder_.duration_ns(start, read_ticks_after());
  end_(wall_ns_);
  return synchronize(target_);
}

Result<void> StepLoop::step(JournalPhase phase) {
  const ScopedRange range(ranges_, phase == JournalPhase::kWarmup ? "warm-up step" : "step");
  const Ticks start = read_ticks();
  AACO_TRY(dispatcher_.enqueue());
  const Ticks enqueued = read_ticks_after();
  AACO_TRY(target_.devices.front()->synchronize());
  const Ticks end = read_ticks_after();
  ++steps_done_;
  step_ns_.push_back(recorder_.duration_ns(start, end));
  dispatch_ns_.push_back(recorder_.duration_ns(start, enqueued));
  if (!recorder_.add(start, end, phase)) {
    return recorder_.error();
  }
  Result<void> after = after_step_(steps_done_);
  outside_ns_ += recorder_.duration_ns(end, read_ticks_after());
  return after;
}

}  // namespace aaco
