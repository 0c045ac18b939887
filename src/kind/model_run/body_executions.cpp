// SPDX-License-Identifier: MIT
#include "kind/model_run/body_executions.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace aaco {

namespace {

using Counts = std::map<std::string, double>;

// The nodes of each body by its scope, and each control-flow node's path to its bodies, as the graph's builder names
// it.
struct Bodies {
  std::map<std::string, std::vector<GraphNodeRow*>> nodes;

  explicit Bodies(ModelGraph& graph) {
    for (GraphNodeRow& node : graph.nodes) {
      nodes[node.scope].push_back(&node);
    }
  }

  static std::string body_of(const GraphNodeRow& owner, const char* attribute) {
    const std::string name = owner.name.empty() ? owner.op_type + "_" + std::to_string(owner.node_id) : owner.name;
    return (owner.scope.empty() ? "" : owner.scope + "/") + name + "." + attribute;
  }

  const std::vector<GraphNodeRow*>& in(const std::string& scope) const {
    static const std::vector<GraphNodeRow*> kNone;
    const auto found = nodes.find(scope);
    return found == nodes.end() ? kNone : found->second;
  }
};

// What nodes and recorded executions are told apart by.
struct Key {
  std::function<std::string(const GraphNodeRow&)> of_node;
  std::function<std::string(const NestedNode&)> of_execution;
};

const std::vector<Key>& keys() {
  static const std::vector<Key> kKeys{
      {[](const GraphNodeRow& node) { return node.op_type; }, [](const NestedNode& node) { return node.op_type; }},
      {[](const GraphNodeRow& node) { return node.op_type + " " + node.output_shapes; },
       [](const NestedNode& node) { return node.op_type + " " + node.output_shapes; }},
      {[](const GraphNodeRow& node) { return node.op_type + " " + node.name; },
       [](const NestedNode& node) { return node.op_type + " " + node.name; }}};
  return kKeys;
}

Counts counts_of(const std::vector<GraphNodeRow*>& nodes, const Key& key) {
  Counts counts;
  for (const GraphNodeRow* node : nodes) {
    if (node->executes != 0) {
      counts[key.of_node(*node)] += 1;
    }
  }
  return counts;
}

double at(const Counts& counts, const std::string& key) {
  const auto found = counts.find(key);
  return found == counts.end() ? 0 : found->second;
}

std::set<std::string> names_of(const Counts& a, const Counts& b, const Counts& c) {
  std::set<std::string> names;
  for (const Counts* counts : {&a, &b, &c}) {
    for (const auto& [name, count] : *counts) {
      names.insert(name);
    }
  }
  return names;
}

// `first` ran k times and `second` all - k times: k, where every count agrees on it.
std::optional<double> runs_of_first(const Counts& first, const Counts& second, const Counts& seen, double all) {
  std::optional<double> runs;
  for (const std::string& name : names_of(first, second, seen)) {
    const double difference = at(first, name) - at(second, name);
    const double rest = at(seen, name) - all * at(second, name);
    if (difference == 0) {
      if (rest != 0) {
        return std::nullopt;
      }
      continue;
    }
    const double found = rest / difference;
    if (found < 0 || found > all || std::floor(found) != found || found != runs.value_or(found)) {
      return std::nullopt;
    }
    runs = found;
  }
  return runs;
}

class Counter {
 public:
  Counter(ModelGraph& graph, const NestedExecutions& profile) : bodies_(graph) {
    for (const auto& [node, count] : profile) {
      inside_[node.path].emplace_back(&node, static_cast<double>(count));
    }
  }

  void count(const std::string& scope, const std::vector<std::string>& path) {
    for (const GraphNodeRow* node : bodies_.in(scope)) {
      if (is_control_flow(node->op_type)) {
        if (const auto name = recorded_name(*node, scope, path)) {
          std::vector<std::string> inner = path;
          inner.push_back(*name);
          count_bodies(*node, inner, executions_of(*name, node->op_type, path));
        }
      }
    }
  }

 private:
  using ExecutionList = std::vector<std::pair<const NestedNode*, double>>;

  const ExecutionList& recorded(const std::vector<std::string>& path) const {
    static const ExecutionList kNone;
    const auto found = inside_.find(path);
    return found == inside_.end() ? kNone : found->second;
  }

  double executions_of(const std::string& name, const std::string& op_type,
                       const std::vector<std::string>& path) const {
    double executions = 0;
    for (const auto& [node, count] : recorded(path)) {
      executions += node->name == name && node->op_type == op_type ? count : 0;
    }
    return executions;
  }

  // A node without a name is recorded under one of the runtime's: known where it is the only such one of its operator.
  std::optional<std::string> recorded_name(const GraphNodeRow& node, const std::string& scope,
                                           const std::vector<std::string>& path) const {
    std::set<std::string> given;
    int64_t nameless = 0;
    int64_t of_this_name = 0;
    for (const GraphNodeRow* other : bodies_.in(scope)) {
      given.insert(other->name);
      nameless += other->name.empty() && other->op_type == node.op_type ? 1 : 0;
      of_this_name += other->name == node.name && other->op_type == node.op_type ? 1 : 0;
    }
    std::set<std::string> candidates;
    for (const auto& [recorded_node, count] : recorded(path)) {
      const bool fits = node.name.empty() ? !given.contains(recorded_node->name) : recorded_node->name == node.name;
      if (recorded_node->op_type == node.op_type && fits) {
        candidates.insert(recorded_node->name);
      }
    }
    const bool told = node.name.empty() ? nameless == 1 : of_this_name == 1;
    return told && candidates.size() == 1 ? std::optional(*candidates.begin()) : std::nullopt;
  }

  Counts seen(const std::vector<std::string>& path, const Key& key) const {
    Counts counts;
    for (const auto& [node, count] : recorded(path)) {
      counts[key.of_execution(*node)] += count;
    }
    return counts;
  }

  void count_bodies(const GraphNodeRow& owner, const std::vector<std::string>& path, double executions) {
    if (owner.op_type != "If") {
      const std::string body = Bodies::body_of(owner, "body");
      if (const auto runs = runs_of_only(body, path)) {
        set(body, *runs);
        count(body, path);
      }
      return;
    }
    const std::string yes = Bodies::body_of(owner, "then_branch");
    const std::string no = Bodies::body_of(owner, "else_branch");
    for (const Key& key : keys()) {
      const auto runs =
          runs_of_first(counts_of(bodies_.in(yes), key), counts_of(bodies_.in(no), key), seen(path, key), executions);
      if (!runs) {
        continue;
      }
      set(yes, *runs);
      set(no, executions - *runs);
      // Where both branches ran, the same path leads into the bodies of both.
      if (*runs == 0 || *runs == executions) {
        set_below(*runs == 0 ? yes : no, 0);
        count(*runs == 0 ? no : yes, path);
      }
      return;
    }
  }

  std::optional<double> runs_of_only(const std::string& body, const std::vector<std::string>& path) const {
    const Counts nodes = counts_of(bodies_.in(body), keys().front());
    const Counts executions = seen(path, keys().front());
    std::optional<double> runs;
    for (const std::string& name : names_of(nodes, executions, {})) {
      if (at(nodes, name) == 0) {
        return std::nullopt;  // an operator ran that the body does not have
      }
      const double found = at(executions, name) / at(nodes, name);
      if (std::floor(found) != found || found != runs.value_or(found)) {
        return std::nullopt;
      }
      runs = found;
    }
    return runs;
  }

  void set(const std::string& scope, double executions) {
    for (GraphNodeRow* node : bodies_.in(scope)) {
      node->executions = node->executes == 0 ? 0 : executions;
    }
  }

  void set_below(const std::string& scope, double executions) {
    for (const auto& [name, nodes] : bodies_.nodes) {
      if (name.starts_with(scope + "/")) {
        set(name, executions);
      }
    }
  }

  Bodies bodies_;
  std::map<std::vector<std::string>, ExecutionList> inside_;
};

// The scopes whose control-flow nodes, all the way up, have names.
std::set<std::string> named_scopes(const ModelGraph& graph) {
  std::set<std::string> named{""};
  for (const GraphNodeRow& node : graph.nodes) {  // a body's nodes come after its owner
    if (is_control_flow(node.op_type) && !node.name.empty() && named.contains(node.scope)) {
      for (const char* attribute : {"body", "then_branch", "else_branch"}) {
        named.insert(Bodies::body_of(node, attribute));
      }
    }
  }
  return named;
}

}  // namespace

void count_body_executions(ModelGraph& graph, const NestedExecutions& profile) {
  Counter(graph, profile).count("", {});
}

void copy_body_executions(const ModelGraph& optimized, ModelGraph& original) {
  const std::set<std::string> named = named_scopes(optimized);
  const std::set<std::string> also_named = named_scopes(original);
  std::map<std::string, std::optional<double>> executions;
  for (const GraphNodeRow& node : optimized.nodes) {
    if (node.executes != 0 && !node.scope.empty() && named.contains(node.scope)) {
      executions[node.scope] = node.executions;
    }
  }
  for (GraphNodeRow& node : original.nodes) {
    const auto found = executions.find(node.scope);
    if (node.executes != 0 && also_named.contains(node.scope) && found != executions.end() && found->second) {
      node.executions = found->second;
    }
  }
}

}  // namespace aaco
