// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "observe/telemetry/collector.h"
#include "record/host/clock_pair.h"

namespace aaco {

// The wall clock and the boot clock, each the narrowest of some readings: one in which the thread was interrupted tells
// little.
std::vector<ClockPairRow> read_clock_pairs(const CollectorOptions& options);

}  // namespace aaco
