// SPDX-License-Identifier: MIT
// How often each node ran, and inside which control-flow nodes. ONNX Runtime's profile does not say which body a node
// is of, but times tell: the event of If, Loop or Scan spans those of its body on the same thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "record/rows.h"

namespace aaco {

struct NestedNode {
  std::vector<std::string> path;  // of the control-flow nodes around it, outermost first
  std::string name;
  std::string op_type;
  std::string output_shapes;
  auto operator<=>(const NestedNode&) const = default;
};

using NestedExecutions = std::map<NestedNode, int64_t>;

// Of the inference `iter_idx`. The kernels are in the order of a profile: by their end.
NestedExecutions nested_executions(const std::vector<KernelRow>& kernels, int64_t iter_idx);

}  // namespace aaco
