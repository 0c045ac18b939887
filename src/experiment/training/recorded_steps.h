// SPDX-License-Identifier: MIT
// Some steps under the device's activity collector: what it really did, as its own records say.
#pragma once

#include <vector>

#include "device/backend.h"
#include "experiment/training/prepared_training.h"
#include "trace/device_activity.h"
#include "trace/event_table.h"

namespace aaco {

inline constexpr int64_t kRecordedSteps = 5;

// Of kRecordedSteps steps, one behind the other without a wait, after three of warm-up. Errors: the collector's, the
// device's.
Result<std::vector<ActivityRecord>> record_steps(PreparedTraining& prepared, const TrainingRequest& request,
                                                 ActivityCollector& collector, ActivitySink& sink);

// One step more, enqueued command by command whatever the request's dispatch is, since only so its phases are known.
// Errors: as record_steps().
Result<EventTable> record_step_phases(PreparedTraining& prepared, ActivityCollector& collector, ActivitySink& sink);

// Pure.
TrainingActivity activity_of(const std::vector<ActivityRecord>& records, uint64_t dropped);

}  // namespace aaco
