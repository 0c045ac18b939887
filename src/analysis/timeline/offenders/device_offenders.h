// SPDX-License-Identifier: MIT
// What holds one device of a trace back.
#pragma once

#include "analysis/timeline/offenders/offender_cases.h"
#include "analysis/timeline/trace_summary.h"

namespace aaco {

// Idle time by who held the device, exposed copies and communication, and small kernels: each without what findings of
// the device explain.
void add_device_offenders(const EventTable& events, const TraceSummary& summary, const DeviceSummary& device,
                          const ExplainedTime& explained, OffenderCases& cases);

// The kernels that take longest, for where no operator is known.
void add_longest_kernels(const EventTable& events, const DeviceSummary& device, OffenderCases& cases);

}  // namespace aaco
