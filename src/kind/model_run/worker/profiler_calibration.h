// SPDX-License-Identifier: MIT
// The cost of ONNX Runtime's profiler, calibrated on nodes that do next to nothing.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "base/result.h"
#include "model/runtime/inference_session.h"
#include "record/recording.h"

namespace aaco {

// Runs `request.model` (a chain of `nodes` tiny operators) unprofiled and profiled in this process, in turns. What a
// profiled node shows beyond its unprofiled time is the profiler's: per_node_ns is the median over nodes of (recorded
// duration, averaged over runs) minus (unprofiled latency / nodes); bound_ns holds 95 % of the nodes. Averaging over
// runs resolves below the profiler's whole microseconds, because starts fall anywhere within one.
// dispatch_ns is that unprofiled latency a node.
Result<ProfilerCost> calibrate_profiler(const SessionRequest& request, int64_t nodes,
                                        const std::filesystem::path& folder);

// Of all profiled processes together, for times that are medians over them: the median of their costs, and a bound that
// half of the processes, and one more, keep to with their own cost and bound; a median over processes then keeps to it,
// whatever the others do. Counts of losses are sums, iterations the fewest. None without any.
std::optional<ProfilerCost> over_processes(const std::vector<ProfilerCost>& costs);

}  // namespace aaco
