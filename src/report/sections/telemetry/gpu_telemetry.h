// SPDX-License-Identifier: MIT
// What samples of GPUs show beside those of the host, and what held clocks down.
#pragma once

#include "report/sections/telemetry/telemetry_charts.h"

namespace aaco::report {

// Of devices that were sampled; a device has the same colour in each.
void add_gpu_charts(const Input& input, const TimeAxis& axis, Section& section);

// A table of what held clocks down, a sentence for each device that it counts for; nothing where nothing tells.
void add_throttling(const Input& input, Section& section);

}  // namespace aaco::report
