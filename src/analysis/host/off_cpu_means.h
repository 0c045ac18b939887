// SPDX-License-Identifier: MIT
// How long the threads of a run were off a processor in an iteration, by reason: what two runs are compared by.
#pragma once

#include <optional>

#include "record/recording.h"

namespace aaco {

// Nanoseconds an iteration, of all threads that took part in it (host_iteration.h): the mean over measured iterations.
// Neither warm-up nor profiled ones count.
struct OffCpuMeans {
  double preempted_ns = 0;
  double sleep_ns = 0;
  double uninterruptible_ns = 0;
  double other_ns = 0;
  std::optional<double> run_queue_ns;  // of the four; null where no wakeup was seen
};

// None where the session has no off_cpu rows, or no measured iteration.
std::optional<OffCpuMeans> off_cpu_means(const Recording& recording);

}  // namespace aaco
