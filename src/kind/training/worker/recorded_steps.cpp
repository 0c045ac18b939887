// SPDX-License-Identifier: MIT
#include "kind/training/worker/recorded_steps.h"

#include <algorithm>

#include "base/clock.h"
#include "engine/activity/stream_numbers.h"
#include "kind/training/worker/step_ranges.h"
#include "record/device/device_rows.h"
#include "record/intervals.h"

namespace aaco {

namespace {

// Of the time between the first start and the last end, how much is within a kernel.
double busy_ratio(const std::vector<Span>& kernels) {
  if (kernels.empty()) {
    return 0;
  }
  Span whole = kernels.front();
  for (const Span& kernel : kernels) {
    whole = {std::min(whole.start_ns, kernel.start_ns), std::max(whole.end_ns, kernel.end_ns)};
  }
  const int64_t whole_ns = whole.end_ns - whole.start_ns;
  return whole_ns > 0 ? static_cast<double>(length_ns(union_of(kernels))) / static_cast<double>(whole_ns) : 0;
}

}  // namespace

Result<EventTable> record_steps(PreparedTraining& prepared, const TrainingRequest& request,
                                ActivityCollector& collector, ActivityTable& sink) {
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

Result<EventTable> record_step_phases(PreparedTraining& prepared, ActivityCollector& collector, ActivityTable& sink) {
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
  EventTable events = sink.take();
  name_recording(events, prepared.target, "step");
  return events_of_step(std::move(events), recorder.take());
}

TrainingActivity activity_of(const EventTable& events) {
  TrainingActivity activity;
  activity.steps = kRecordedSteps;
  activity.dropped = static_cast<int64_t>(events.losses.count(Loss::kDropped));
  std::vector<Span> kernels;
  for (size_t i = 0; i < events.size(); ++i) {
    activity.launches += is_launch_call(events, i) ? 1 : 0;
    if (events.kind[i] == EventKind::kKernel) {
      kernels.push_back({events.start_ns[i], events.end_ns(i)});
    } else if (is_device_work(events.kind[i])) {
      ++activity.copies;
    }
  }
  activity.kernels = static_cast<int64_t>(kernels.size());
  activity.busy_ratio = busy_ratio(kernels);
  return activity;
}

}  // namespace aaco
