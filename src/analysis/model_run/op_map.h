// SPDX-License-Identifier: MIT
// The link between executed kernels and the nodes of the model, and kernels taken together by kind.
#pragma once

#include <optional>
#include <vector>

#include "analysis/model_run/context.h"
#include "record/rows.h"

namespace aaco {

// One row per executed node and kernel. A node is looked up by name in the optimized graph: "exact" where the original
// graph has it too (or was not recorded), "fused" where the runtime made it, "unmatched" where it is in neither or
// several nodes have its name. A node without a name is found as nameless_nodes() says.
std::vector<OpKernelRow> op_kernel_map(const Context& context);

// Executions of a graph's node per inference; none where it is in a body that ran nobody knows how often.
std::optional<double> executions_of(const GraphNodeRow& node);

// FLOPs or bytes of so many executions; none where unknown, or where it is no number that a count can be (a damaged
// bundle).
std::optional<double> work_of_executions(const std::optional<double>& per_execution, double executions);

// Share of the raw time of the nodes (those that enclose others aside) that belongs to nodes whose time is known; none
// where no time was recorded.
std::optional<double> known_time_share(const std::vector<OpKernelRow>& ops);
// Below it no group is given a share: what is not known may be most of it.
inline constexpr double kLeastKnownTimeShare = 0.80;

// One row per provider:op_type, largest first. Shares are of the known time, where that is enough of all.
std::vector<KernelGroupRow> kernel_groups(const Context& context, const std::vector<OpKernelRow>& ops);

}  // namespace aaco
