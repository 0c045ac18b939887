// SPDX-License-Identifier: MIT
#include "analysis/model_run/conclusions/fusion.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace aaco {

namespace {

constexpr std::array<std::string_view, 40> kElementwise{
    "Abs",       "Add",        "And",  "BiasGelu", "Cast",  "Ceil", "Clip",    "Cos",         "Div",       "Elu",
    "Equal",     "Erf",        "Exp",  "FastGelu", "Floor", "Gelu", "Greater", "HardSigmoid", "HardSwish", "LeakyRelu",
    "Less",      "Log",        "Max",  "Min",      "Mul",   "Neg",  "Not",     "Or",          "PRelu",     "Pow",
    "QuickGelu", "Reciprocal", "Relu", "Sigmoid",  "Sin",   "Sqrt", "Sub",     "Tanh",        "Where",     "Xor"};

}  // namespace

bool is_elementwise(std::string_view op_type) {
  return std::find(kElementwise.begin(), kElementwise.end(), op_type) != kElementwise.end();
}

std::vector<std::vector<size_t>> elementwise_chains(const Context& context) {
  std::map<int64_t, size_t> op_of_node;
  for (size_t i = 0; i < context.analysis.ops.size(); ++i) {
    const OpKernelRow& op = context.analysis.ops[i];
    if (op.node_id >= 0 && op.time_ns && is_elementwise(op.op_type)) {
      op_of_node.emplace(op.node_id, i);
    }
  }
  std::map<int64_t, std::set<int64_t>> consumers;
  for (const GraphEdgeRow& edge : context.recording.edges) {
    if (edge.graph == GraphForm::kOptimized) {
      consumers[edge.src_node_id].insert(edge.dst_node_id);
    }
  }
  std::map<int64_t, int64_t> next;
  std::set<int64_t> continued;  // nodes that follow another in a chain
  for (const auto& [source, readers] : consumers) {
    const int64_t reader = *readers.begin();
    if (readers.size() == 1 && reader != source && op_of_node.contains(source) && op_of_node.contains(reader) &&
        continued.insert(reader).second) {
      next[source] = reader;
    }
  }
  std::vector<std::vector<size_t>> chains;
  for (const auto& [source, reader] : next) {
    if (continued.contains(source)) {
      continue;  // not the head; a cycle, which no valid graph has, has no head and is left out
    }
    std::vector<size_t> chain{op_of_node[source]};
    for (auto at = next.find(source); at != next.end(); at = next.find(at->second)) {
      chain.push_back(op_of_node[at->second]);
    }
    chains.push_back(std::move(chain));
  }
  return chains;
}

}  // namespace aaco
