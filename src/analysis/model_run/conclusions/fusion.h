// SPDX-License-Identifier: MIT
// Chains of element-wise nodes, each of which reads what the one before wrote and nobody else reads: one kernel could
// do the work of all, and the tensors between them would never leave the registers.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "analysis/model_run/context.h"

namespace aaco {

bool is_elementwise(std::string_view op_type);

// Each chain as indices into context.analysis.ops, at least two, in order of execution; every node above resolution.
std::vector<std::vector<size_t>> elementwise_chains(const Context& context);

}  // namespace aaco
