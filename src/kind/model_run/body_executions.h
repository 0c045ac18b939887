// SPDX-License-Identifier: MIT
// How often the bodies of If, Loop and Scan run in an inference.
#pragma once

#include "ingest/ort_nesting.h"
#include "model/graph/onnx_graph.h"

namespace aaco {

// Sets `executions` of the nodes in bodies from one profiled inference. A node of a body runs whenever its body does:
// the counts of all operators inside must therefore agree on how often that was, which needs no names. Of an If the
// branches are told apart by their operators, then by the shapes of their results, then by the names of their nodes.
// Where the profile does not tell (bodies alike, a body that the runtime compiled), what the file fixes stays, else no
// value.
void count_body_executions(ModelGraph& graph, const NestedExecutions& profile);

// Gives the bodies of `original` the counts of `optimized`, where the control-flow nodes around them have the same
// names in both.
void copy_body_executions(const ModelGraph& optimized, ModelGraph& original);

}  // namespace aaco
