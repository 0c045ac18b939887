// SPDX-License-Identifier: MIT
// The cost of ONNX Runtime's profiler, calibrated on nodes that do next to nothing.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "model/runtime/inference_session.h"
#include "trace/recording.h"

namespace aaco {

// Runs `request.model` (a chain of `nodes` tiny operators) unprofiled and profiled in this process, in turns. What a
// profiled node shows beyond its unprofiled time is the profiler's: per_node_ns is the median over nodes of (recorded
// duration, averaged over runs) minus (unprofiled latency / nodes); bound_ns holds 95 % of the nodes. Averaging over
// runs resolves below the profiler's whole microseconds, because starts fall anywhere within one.
// dispatch_ns is that unprofiled latency a node.
Result<ProfilerCost> calibrate_profiler(const SessionRequest& request, int64_t nodes,
                                        const std::filesystem::path& folder);

}  // namespace aaco
