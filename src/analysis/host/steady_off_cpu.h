// SPDX-License-Identifier: MIT
// What the kernel's rows say of a process's steady phase in the terms of its own counters.
#pragma once

#include <cstdint>
#include <optional>

#include "record/recording.h"

namespace aaco {

struct SteadyOffCpu {
  int64_t run_queue_ns = 0;  // all threads: they could run and waited for a processor
  int64_t blocked_ns = 0;    // the measuring thread: it waited for something else
};

// None where no row is of the process, or none tells of the run queue.
std::optional<SteadyOffCpu> steady_off_cpu(const CollectedRows& rows, const ProcessFacts& process);

}  // namespace aaco
