// SPDX-License-Identifier: MIT
#include "analysis/model_run/profile/nameless_nodes.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace aaco {

namespace {

constexpr size_t kMostOrdered = 64;  // operators whose order is looked for, each in the time of the whole graph

struct RecordedName {
  std::string_view name;
  std::set<std::pair<int64_t, int64_t>> runs;  // process and iteration
  double starts_ns = 0;                        // sum over the runs
  bool repeats = false;                        // in a run
};

struct OfOperator {
  std::vector<const GraphNodeRow*> nodes;
  std::map<std::string_view, RecordedName> recorded;
  bool in_body = false;
};

using Operators = std::map<std::string_view, OfOperator>;

// MatMul_3 of MatMul.
bool is_numbered(std::string_view name, std::string_view op_type) {
  if (!name.starts_with(op_type) || name.size() < op_type.size() + 2 || name[op_type.size()] != '_') {
    return false;
  }
  name.remove_prefix(op_type.size() + 1);
  return std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

Operators nameless_by_operator(const Recording& recording) {
  Operators operators;
  std::set<std::pair<std::string_view, std::string_view>> named;
  for (const GraphNodeRow& node : recording.nodes) {
    if (node.graph != GraphForm::kOptimized) {
      continue;
    }
    if (!node.name.empty()) {
      named.emplace(node.name, node.op_type);
    } else if (node.executes != 0 && node.executions != 0.0) {
      operators[node.op_type].nodes.push_back(&node);
      operators[node.op_type].in_body |= !node.scope.empty();
    }
  }
  for (const KernelRow& kernel : recording.kernels) {
    const bool of_host = kernel.activity == NodeActivity::kHostKernel || kernel.activity == NodeActivity::kHostEnqueue;
    const auto position = of_host ? operators.find(kernel.op_type) : operators.end();
    if (position == operators.end() || !is_numbered(kernel.node_name, kernel.op_type) ||
        named.contains({kernel.node_name, kernel.op_type})) {
      continue;
    }
    RecordedName& recorded = position->second.recorded[kernel.node_name];
    recorded.name = kernel.node_name;
    recorded.repeats |= !recorded.runs.emplace(kernel.process, kernel.iter_idx).second;
    recorded.starts_ns += static_cast<double>(kernel.t_start_ns);
  }
  return operators;
}

// Each ran once in each of the same runs, and there are as many as nodes.
bool is_complete(const OfOperator& of_operator) {
  const auto& recorded = of_operator.recorded;
  return !of_operator.in_body && recorded.size() == of_operator.nodes.size() && !recorded.empty() &&
         std::ranges::all_of(recorded, [&](const auto& entry) {
           return !entry.second.repeats && entry.second.runs == recorded.begin()->second.runs;
         });
}

// The order of the optimized graph's tensors.
class Precedence {
 public:
  explicit Precedence(const Recording& recording) {
    std::map<int64_t, size_t> open;
    for (const GraphEdgeRow& edge : recording.edges) {
      if (edge.graph == GraphForm::kOptimized) {
        readers_[edge.src_node_id].push_back(edge.dst_node_id);
        open.try_emplace(edge.src_node_id, 0);
        ++open[edge.dst_node_id];
      }
    }
    for (const auto& [node, inputs] : open) {
      if (inputs == 0) {
        order_.push_back(node);
      }
    }
    for (size_t i = 0; i < order_.size(); ++i) {
      for (const int64_t reader : readers_[order_[i]]) {
        if (--open[reader] == 0) {
          order_.push_back(reader);
        }
      }
    }
    is_acyclic_ = order_.size() == open.size();
  }

  // Sorted, where one path goes through all of them.
  std::optional<std::vector<const GraphNodeRow*>> sorted(const std::vector<const GraphNodeRow*>& nodes) const {
    std::map<int64_t, const GraphNodeRow*> wanted;
    for (const GraphNodeRow* node : nodes) {
      wanted.emplace(node->node_id, node);
    }
    std::map<int64_t, size_t> before;  // the most of them on a path that ends in front of a node
    std::vector<const GraphNodeRow*> path(nodes.size());
    size_t placed = 0;
    for (const int64_t node : order_) {
      const auto position = wanted.find(node);
      const size_t count = before[node];
      if (position != wanted.end() && count < path.size() && path[count] == nullptr) {
        path[count] = position->second;
        ++placed;
      }
      if (const auto readers = readers_.find(node); readers != readers_.end()) {
        for (const int64_t reader : readers->second) {
          before[reader] = std::max(before[reader], count + (position != wanted.end() ? 1 : 0));
        }
      }
    }
    return is_acyclic_ && placed == path.size() ? std::optional(path) : std::nullopt;
  }

 private:
  std::map<int64_t, std::vector<int64_t>> readers_;
  std::vector<int64_t> order_;
  bool is_acyclic_ = false;
};

// In the order of their starts; none where two cannot be told apart.
std::vector<std::string_view> names_by_start(const OfOperator& of_operator) {
  std::vector<const RecordedName*> recorded;
  for (const auto& [name, times] : of_operator.recorded) {
    recorded.push_back(&times);
  }
  std::ranges::sort(recorded, {}, [](const RecordedName* each) { return each->starts_ns; });
  std::vector<std::string_view> names;
  for (size_t i = 0; i < recorded.size(); ++i) {
    if (i > 0 && recorded[i]->starts_ns <= recorded[i - 1]->starts_ns) {
      return {};
    }
    names.push_back(recorded[i]->name);
  }
  return names;
}

}  // namespace

NamelessNodes nameless_nodes(const Recording& recording) {
  NamelessNodes links;
  std::optional<Precedence> precedence;
  size_t ordered = 0;
  for (const auto& [op_type, of_operator] : nameless_by_operator(recording)) {
    if (!is_complete(of_operator)) {
      continue;
    }
    std::vector<const GraphNodeRow*> nodes = of_operator.nodes;
    if (nodes.size() > 1) {
      if (++ordered > kMostOrdered) {
        continue;
      }
      if (!precedence) {
        precedence.emplace(recording);
      }
      auto sorted = precedence->sorted(nodes);
      if (!sorted) {
        continue;
      }
      nodes = std::move(*sorted);
    }
    const std::vector<std::string_view> names = names_by_start(of_operator);
    for (size_t i = 0; i < names.size(); ++i) {
      links.emplace(std::pair(std::string(names[i]), std::string(op_type)), nodes[i]);
    }
  }
  return links;
}

}  // namespace aaco
