// SPDX-License-Identifier: MIT
// How much of the processors other programs took while this one measured: roofs measured beside them are none, and two
// sessions recorded apart in a crowd differ by what the crowd did.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "observe/host_files.h"

namespace aaco {

// A moment, and the processor time that had passed until then.
struct ProcessorTimes {
  int64_t at_ns = 0;       // monotonic
  int64_t processors = 0;  // whose time is counted
  int64_t busy_ns = 0;     // neither idle nor waiting for a disk; time stolen by other guests counts
  int64_t own_ns = 0;      // of this process, all threads
};

// Of `processors`, or of all where it is empty, from /proc/stat; none where the kernel does not tell. Whole clock
// ticks: 10 ms each.
std::optional<ProcessorTimes> processor_times(const HostFiles& host, const std::vector<int>& processors);

// Share of the processors that was busy with something else between two moments, 0 to 1.
double share_of_others(const ProcessorTimes& before, const ProcessorTimes& after);

}  // namespace aaco
