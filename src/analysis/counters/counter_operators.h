// SPDX-License-Identifier: MIT
// Which operators launched the kernels that were counted: a profiler of counters knows none, but another recording of
// the same trace may hold the same kernels on a timeline.
#pragma once

#include <string_view>
#include <vector>

#include "analysis/counters/kernel_counters.h"
#include "analysis/timeline/device_work.h"
#include "record/events/event_table.h"

namespace aaco {

// Without the marks of a code object's symbol: "k [clone .kd]", "k (.kd)" and "k.kd" are k.
std::string_view plain_kernel_name(std::string_view name);

// Sets `operators` of each kernel: the innermost operator on the thread of the launching call as that began, of every
// slice of the trace that bears the kernel's name.
void join_operators(TraceCounters& counters, const EventTable& events, const std::vector<DeviceWork>& devices);

}  // namespace aaco
