// SPDX-License-Identifier: MIT
// Some steps under the device's activity collector: what it really did, as its own records say.
#pragma once

#include "device/backend.h"
#include "kind/training/worker/prepared_training.h"
#include "record/device/activity_table.h"
#include "record/events/event_table.h"

namespace aaco {

inline constexpr int64_t kRecordedSteps = 5;

// Of kRecordedSteps steps, one behind the other without a wait, after three of warm-up. Errors: the collector's, the
// device's.
Result<EventTable> record_steps(PreparedTraining& prepared, const TrainingRequest& request,
                                ActivityCollector& collector, ActivityTable& sink);

// One step more, enqueued command by command whatever the request's dispatch is, since only so its phases are known.
// Errors: as record_steps().
Result<EventTable> record_step_phases(PreparedTraining& prepared, ActivityCollector& collector, ActivityTable& sink);

// Pure.
TrainingActivity activity_of(const EventTable& events);

}  // namespace aaco
