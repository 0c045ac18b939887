// SPDX-License-Identifier: MIT
#include "experiment/training/training_loop.h"

#include <algorithm>

#include "base/interrupt.h"
#include "base/statistics.h"
#include "device/ranges/profiler_ranges.h"
#include "experiment/training/processor_power.h"
#include "experiment/warmup.h"
#include "workload/verify.h"
#include "workload/workload.h"

namespace aaco {

namespace {

class TrainingLoop {
 public:
  // `power`: of the processor that it trains on; null: not asked for.
  TrainingLoop(PreparedTraining& prepared, Recorder& recorder, Dispatcher& dispatcher, ProcessorPower* power)
      : prepared_(prepared), recorder_(recorder), dispatcher_(dispatcher), processor_power_(power) {}

  Result<void> run(int64_t warmup, int64_t steps) {
    for (int64_t i = 0; i < warmup && !interrupted(); ++i) {
      AACO_TRY(step(JournalPhase::kWarmup));
    }
    dispatch_ns_.clear();
    step_ns_.clear();
    if (processor_power_ != nullptr) {
      processor_power_->start();
    }
    const Ticks start = read_ticks();
    for (int64_t i = 0; i < steps && !interrupted(); ++i) {
      AACO_TRY(step(JournalPhase::kMeasure));
    }
    wall_ns_ = recorder_.duration_ns(start, read_ticks_after());
    if (processor_power_ != nullptr) {
      power_ = processor_power_->stop(wall_ns_ / 1e9);
    }
    return synchronize(prepared_.target);
  }

  void tell(TrainingProcess& process) const {
    process.steps = static_cast<int64_t>(step_ns_.size());
    process.wall_ns = static_cast<int64_t>(wall_ns_);
    process.stationary = is_stationary(step_ns_);
    process.p50_ns = median(step_ns_);
    process.dispatch_p50_ns = median(dispatch_ns_);
    process.power = power_;
  }
  int64_t steps_done() const { return steps_done_; }

 private:
  Result<void> step(JournalPhase phase) {
    const ScopedRange range(ranges_, phase == JournalPhase::kWarmup ? "warm-up step" : "step");
    const Ticks start = read_ticks();
    AACO_TRY(dispatcher_.enqueue());
    const Ticks enqueued = read_ticks_after();
    AACO_TRY(prepared_.device->synchronize());
    const Ticks end = read_ticks_after();
    ++steps_done_;
    step_ns_.push_back(recorder_.duration_ns(start, end));
    dispatch_ns_.push_back(recorder_.duration_ns(start, enqueued));
    return recorder_.add(start, end, phase) ? Result<void>() : Result<void>(recorder_.error());
  }

  PreparedTraining& prepared_;
  Recorder& recorder_;
  Dispatcher& dispatcher_;
  const ProfilerRanges& ranges_ = ProfilerRanges::of_process();
  ProcessorPower* processor_power_;
  std::optional<TrainingPower> power_;
  std::vector<double> dispatch_ns_;
  std::vector<double> step_ns_;
  double wall_ns_ = 0;
  int64_t steps_done_ = 0;
};

Result<std::vector<double>> read_losses(const PreparedTraining& prepared, int64_t steps) {
  AACO_ASSIGN(const auto reader, make_device_reader(*prepared.device));
  AACO_ASSIGN(const std::vector<float> history, reader->floats(prepared.training.history));
  return std::vector<double>(history.begin(),
                             history.begin() + std::min<int64_t>(steps, prepared.training.config.steps));
}

}  // namespace

Result<void> measure_training(PreparedTraining& prepared, Recorder& recorder, const TrainingRequest& request,
                              TrainingProcess& process) {
  AACO_ASSIGN(const DispatchMode mode, dispatch_mode_named(request.dispatch));
  int64_t before = 0;
  AACO_ASSIGN(const std::unique_ptr<Dispatcher> dispatcher, make_step_dispatcher(prepared, mode, before));
  ProcessorPower power;
  const bool counted = request.telemetry && request.device.starts_with("cpu");
  TrainingLoop loop(prepared, recorder, *dispatcher, counted ? &power : nullptr);
  // So that versions are at the same loss after as many steps.
  Result<void> ran = loop.run(std::max<int64_t>(0, request.warmup - before), request.steps);
  if (!ran) {
    // What was enqueued uses the dispatcher's events and graph. The first error is the one to tell.
    static_cast<void>(synchronize(prepared.target));
    return ran;
  }
  loop.tell(process);
  AACO_ASSIGN(process.losses, read_losses(prepared, before + loop.steps_done()));
  return {};
}

}  // namespace aaco
