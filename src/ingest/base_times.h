// SPDX-License-Identifier: MIT
// PyTorch's traces count their times from a moment that they name ("baseTimeNanoseconds", since 1970): files of one job
// may count from different ones.
#pragma once

#include "record/events/event_table.h"

namespace aaco {

// Moves the times of recordings so that all count from the earliest base time, which their metadata then say. Durations
// stay. A recording of the same format without a base time stays as it is written, which is a loss; so do all where the
// base times lie 36 years or more apart, or the table holds a part of a job, of which others have other base times.
void use_base_times(EventTable& events, bool is_part);

}  // namespace aaco
