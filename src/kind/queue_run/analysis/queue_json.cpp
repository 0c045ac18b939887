// SPDX-License-Identifier: MIT
// How the figures of runs and sweeps stand in a document: by the names of their members.
#include "base/json/json.h"
#include "kind/queue_run/analysis/profiling_overhead.h"
#include "kind/queue_run/analysis/run_figures.h"
#include "kind/queue_run/analysis/signed_figure.h"
#include "kind/queue_run/analysis/stream_scaling.h"

namespace aaco {

void to_json(Json& json, const StreamScalingRow& value);
void from_json(const Json& json, StreamScalingRow& value);

AACO_JSON_FIELDS(ProfilingOverhead, ratio, of, unprofiled_ns, profiled_ns)
AACO_JSON_FIELDS(QueueWork, kernels, flops, ideal_bytes, used_streams, streams, unit)
AACO_JSON_FIELDS(QueueProcess, process, pid, load_ms, iterations, wall_ns, stationary, dispatch_p50_ns, p50_ns,
                 units_per_iteration, allocated_bytes, peak_bytes, pinned_peak_bytes, library_bytes, reserved_bytes,
                 interrupted)
AACO_JSON_FIELDS(QueueFigures, latency, iteration_ns, dispatch_ns, units_per_s, operations_per_s, flops_per_s,
                 units_per_s_per_stream, peak_bytes, allocated_bytes, reserved_bytes, throughput_unavailable)
AACO_JSON_FIELDS(SignedDistribution, processes, values, process_medians, p50, mean, min, max, p95, p99, p95_interval,
                 p99_interval)
AACO_JSON_FIELDS(StreamPoint, streams, used, process_throughputs)
AACO_JSON_FIELDS(StreamScalingRow, streams, used, throughput, per_stream, efficiency, efficiency_interval,
                 gain_per_doubling, gain_interval)
AACO_JSON_FIELDS(StreamScaling, rows, saturation_streams, saturation, without_throughput)

}  // namespace aaco
