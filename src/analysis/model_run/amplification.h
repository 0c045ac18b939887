// SPDX-License-Identifier: MIT
// Kernel amplification ratio (KAR): dispatches per inference over executed nodes. On a CPU, where a dispatch is an
// operator kernel, it is called node amplification.
#pragma once

#include <vector>

#include "analysis/model_run/context.h"

namespace aaco {

// kar_original (nodes of the file, without constants and initialisers), kar_optimized (nodes as the runtime executes
// them). Nodes in the body of a loop count once per execution of the body.
std::vector<MetricValue> amplification_metrics(const Context& context);

}  // namespace aaco
