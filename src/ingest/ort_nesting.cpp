// SPDX-License-Identifier: MIT
#include "ingest/ort_nesting.h"

#include <algorithm>
#include <cstddef>

namespace aaco {

namespace {

constexpr size_t kNoParent = SIZE_MAX;

// The profile's clock has whole microseconds: what began and ended with the container's first one was over before it.
bool began_inside(const KernelRow& inside, const KernelRow& container) {
  return inside.t_start_ns > container.t_start_ns ||
         (inside.t_start_ns == container.t_start_ns && inside.t_end_ns > container.t_start_ns);
}

// For each kernel of the inference, the container that is innermost around it.
std::vector<size_t> parents_of(const std::vector<const KernelRow*>& kernels) {
  std::vector<size_t> parents(kernels.size(), kNoParent);
  std::map<int64_t, std::vector<size_t>> open;  // by thread: kernels whose container has not ended yet
  for (size_t i = 0; i < kernels.size(); ++i) {
    std::vector<size_t>& waiting = open[kernels[i]->thread_id];
    if (is_control_flow(kernels[i]->op_type)) {
      while (!waiting.empty() && began_inside(*kernels[waiting.back()], *kernels[i])) {
        parents[waiting.back()] = i;
        waiting.pop_back();
      }
    }
    waiting.push_back(i);
  }
  return parents;
}

}  // namespace

NestedExecutions nested_executions(const std::vector<KernelRow>& kernels, int64_t iter_idx) {
  std::vector<const KernelRow*> inference;
  for (const KernelRow& kernel : kernels) {
    if (kernel.iter_idx == iter_idx) {
      inference.push_back(&kernel);
    }
  }
  const std::vector<size_t> parents = parents_of(inference);
  NestedExecutions executions;
  for (size_t i = 0; i < inference.size(); ++i) {
    NestedNode node{{}, inference[i]->node_name, inference[i]->op_type, inference[i]->output_shapes};
    for (size_t at = parents[i]; at != kNoParent; at = parents[at]) {
      node.path.push_back(inference[at]->node_name);
    }
    std::ranges::reverse(node.path);
    ++executions[node];
  }
  return executions;
}

}  // namespace aaco
