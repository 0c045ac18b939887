// SPDX-License-Identifier: MIT
#include "kind/queue_run/worker/queue_loop.h"

#include <numeric>
#include <vector>

#include "base/interrupt.h"
#include "base/statistics.h"
#include "device/ranges/profiler_ranges.h"
#include "engine/warmup.h"
#include "workload/checks/verify.h"
#include "workload/dispatch.h"

namespace aaco {

namespace {

class QueueLoop {
 public:
  QueueLoop(PreparedWorkload& workload, Recorder& recorder, Dispatcher& dispatcher, SyncMode mode,
            const UnderProfiler* profiler)
      : workload_(workload), recorder_(recorder), dispatcher_(dispatcher), mode_(mode), profiler_(profiler) {}

  Result<QueueLoopOutcome> run(int64_t warmup, int64_t iterations) {
    dispatch_ns_.reserve(static_cast<size_t>(iterations));
    latency_ns_.reserve(mode_ == SyncMode::kPerIteration ? static_cast<size_t>(iterations) : 0);
    for (int64_t i = 0; i < warmup && !interrupted(); ++i) {
      AACO_TRY(iterate(JournalPhase::kWarmup));
    }
    AACO_TRY(wait());
    if (profiler_ != nullptr) {
      AACO_TRY(profiler_->before());
    }
    AACO_ASSIGN(const double units_before, counted_units());
    dispatch_ns_.clear();
    latency_ns_.clear();
    const JournalPhase phase = profiler_ != nullptr               ? JournalPhase::kProfile
                               : mode_ == SyncMode::kPerIteration ? JournalPhase::kMeasure
                                                                  : JournalPhase::kDispatch;
    const Ticks start = read_ticks();
    for (int64_t i = 0; i < iterations && !interrupted(); ++i) {
      AACO_TRY(iterate(phase));
    }
    Ticks end = read_ticks_after();
    AACO_TRY(wait());
    if (mode_ != SyncMode::kNone) {
      end = read_ticks_after();
    }
    AACO_TRY(synchronize(workload_.target));  // what a stream failed at
    return outcome(recorder_.duration_ns(start, end), units_before);
  }

 private:
  Result<void> iterate(JournalPhase phase) {
    const ScopedRange range(ranges_, phase == JournalPhase::kWarmup ? "warm-up iteration" : "iteration");
    const Ticks start = read_ticks();
    ++workload_.iterations;
    AACO_TRY(enqueue());
    const Ticks enqueued = read_ticks_after();
    Ticks end = enqueued;
    if (mode_ == SyncMode::kPerIteration) {
      AACO_TRY(wait());
      end = read_ticks_after();
      latency_ns_.push_back(recorder_.duration_ns(start, end));
    }
    dispatch_ns_.push_back(recorder_.duration_ns(start, enqueued));
    return recorder_.add(start, end, phase) ? Result<void>() : Result<void>(recorder_.error());
  }

  Result<void> enqueue() {
    const ScopedRange range(ranges_, "enqueue");
    return dispatcher_.enqueue();
  }

  Result<void> wait() {
    const ScopedRange range(ranges_, "wait");
    for (Device* device : workload_.devices) {
      AACO_TRY(device->synchronize());
    }
    return {};
  }

  // Of a workload whose units the device counts: so far.
  Result<double> counted_units() {
    const auto& counter = workload_.instance->unit_counter;
    if (!counter) {
      return 0.0;
    }
    AACO_ASSIGN(const auto reader, make_device_reader(*workload_.devices.front()));
    AACO_ASSIGN(const std::vector<int32_t> values, reader->integers(*counter));
    return std::accumulate(values.begin(), values.end(), 0.0);
  }

  Result<QueueLoopOutcome> outcome(double wall_ns, double units_before) {
    QueueLoopOutcome outcome;
    outcome.iterations = static_cast<int64_t>(dispatch_ns_.size());
    outcome.wall_ns = static_cast<int64_t>(wall_ns);
    outcome.stationary = is_stationary(mode_ == SyncMode::kPerIteration ? latency_ns_ : dispatch_ns_);
    outcome.dispatch_p50_ns = median(dispatch_ns_);
    outcome.p50_ns = median(latency_ns_);
    outcome.units_per_iteration = workload_.instance->units;
    if (workload_.instance->unit_counter && outcome.iterations > 0) {
      AACO_ASSIGN(const double units, counted_units());
      outcome.units_per_iteration = (units - units_before) / static_cast<double>(outcome.iterations);
    }
    return outcome;
  }

  PreparedWorkload& workload_;
  Recorder& recorder_;
  Dispatcher& dispatcher_;
  SyncMode mode_;
  const ProfilerRanges& ranges_ = ProfilerRanges::of_process();
  const UnderProfiler* profiler_;  // null: not profiled
  std::vector<double> dispatch_ns_;
  std::vector<double> latency_ns_;
};

}  // namespace

Result<QueueLoopOutcome> measure_queue(PreparedWorkload& workload, Recorder& recorder, const QueueRequest& request,
                                       const UnderProfiler* profiler) {
  AACO_ASSIGN(const SyncMode sync, sync_mode_of(request));
  AACO_ASSIGN(const DispatchMode dispatch, dispatch_mode_of(request));
  AACO_ASSIGN(const std::unique_ptr<Dispatcher> dispatcher, make_ready_dispatcher(workload, dispatch));
  auto outcome = QueueLoop(workload, recorder, *dispatcher, sync, profiler).run(request.warmup, request.iterations);
  if (!outcome) {
    // What was enqueued uses the dispatcher's events and graph. The first error is the one to tell.
    static_cast<void>(synchronize(workload.target));
    return outcome;
  }
  if (request.check && profiler == nullptr) {
    AACO_TRY(check_result(workload));
  }
  return outcome;
}

}  // namespace aaco
