// SPDX-License-Identifier: MIT
#include "experiment/training/recorded_steps.h"

#include <algorithm>

#include "base/clock.h"
#include "experiment/training/step_ranges.h"

namespace aaco {

namespace {

// Of the time between the first start and the last end, how much is within a kernel.
double busy_ratio(std::vector<ActivityRecord> kernels) {
  if (kernels.empty()) {
    return 0;
  }
  std::sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  int64_t busy = 0;
  int64_t end = kernels.front().start_ns;
  for (const ActivityRecord& kernel : kernels) {
    busy += std::max<int64_t>(0, kernel.end_ns - std::max(end, kernel.start_ns));
    end = std::max(end, kernel.end_ns);
  }
  const int64_t whole = end - kernels.front().start_ns;
  return whole > 0 ? static_cast<double>(busy) / static_cast<double>(whole) : 0;
}

}  // namespace

Result<std::vector<ActivityRecord>> record_steps(PreparedTraining& prepared, const TrainingRequest& request,
                                                 ActivityCollector& collector, ActivitySink& sink) {
  constexpr int64_t kWarmup = 3;
  AACO_ASSIGN(const DispatchMode mode, dispatch_mode_named(request.dispatch));
  int64_t before = 0;
  AACO_ASSIGN(const auto dispatcher, make_step_dispatcher(prepared, mode, before));
  const auto steps = [&](int64_t count) -> Result<void> {
    for (int64_t i = 0; i < count; ++i) {
      AACO_TRY(dispatcher->enqueue());
    }
    return synchronize(prepared.target);
  };
  AACO_TRY(steps(kWarmup));
  AACO_TRY(collector.flush());
  sink.take();
  AACO_TRY(steps(kRecordedSteps));
  AACO_TRY(collector.flush());
  return sink.take();
}

Result<EventTable> record_step_phases(PreparedTraining& prepared, ActivityCollector& collector, ActivitySink& sink) {
  RangeRecorder recorder(monotonic_ns);
  const ProfilerRanges ranges({recorder.listener()});
  AACO_ASSIGN(const auto dispatcher, make_dispatcher(DispatchMode::kSingle, prepared.training.instance->iteration,
                                                     prepared.target, {&prepared.ranges, &ranges}));
  // Once before: memory of the host that is touched for the first time is not what a step costs.
  for (int i = 0; i < 2; ++i) {
    AACO_TRY(collector.flush());
    sink.take();
    recorder.take();
    AACO_TRY(dispatcher->enqueue());
    AACO_TRY(synchronize(prepared.target));
  }
  AACO_TRY(collector.flush());
  return events_of_step(sink.take(), recorder.take(), sink, prepared.target);
}

TrainingActivity activity_of(const std::vector<ActivityRecord>& records, uint64_t dropped) {
  TrainingActivity activity;
  activity.steps = kRecordedSteps;
  activity.dropped = static_cast<int64_t>(dropped);
  std::vector<ActivityRecord> kernels;
  for (const ActivityRecord& record : records) {
    activity.kernels += record.kind == ActivityKind::kKernel ? 1 : 0;
    activity.launches += record.kind == ActivityKind::kLaunchCall ? 1 : 0;
    activity.copies += record.kind == ActivityKind::kCopy || record.kind == ActivityKind::kSet ? 1 : 0;
    if (record.kind == ActivityKind::kKernel) {
      kernels.push_back(record);
    }
  }
  activity.busy_ratio = busy_ratio(std::move(kernels));
  return activity;
}

}  // namespace aaco
