// SPDX-License-Identifier: MIT
// What the host gave to the run: processors when its threads wanted them, a steady frequency, memory.
#pragma once

#include <vector>

#include "analysis/model_run/context.h"

namespace aaco {

// Threads that the run may have busy at once: its intra-op threads, or the processors where those are fewer or the
// number of threads is left to the runtime.
std::optional<double> worker_threads(const RunFacts& facts);

// cpu_utilisation, run_delay_share, off_cpu_share, kept_off_cpu_share, processors_granted, crowded_out_share,
// involuntary_switch_rate, pause_share, threads_per_processor
// (from the processes' own counters); psi_cpu, runnable_per_processor, cpu_frequency, frequency_drop, frequency_held,
// frequency_cv, frequency_latency_correlation, major_fault_rate, minor_fault_rate, peak_memory (from telemetry).
std::vector<MetricValue> host_metrics(const Context& context);

}  // namespace aaco
