// SPDX-License-Identifier: MIT
#include "verdict/node_change.h"

#include <cmath>
#include <map>
#include <utility>

namespace aaco {

namespace {

// Nodes of one side that are taken together: totals per inference.
struct Side {
  double executions = 0;
  double known_ns = 0;   // of the nodes that have a time
  bool complete = true;  // all are
  double bound_ns = 0;   // of the total
  std::string limit;

  void add(const NodeSample& node) {
    limit = executions == 0 || limit == node.limit ? node.limit : "";
    executions += node.executions;
    bound_ns = std::hypot(bound_ns, node.executions * node.bound_ns);
    known_ns += node.executions * node.time_ns.value_or(0);
    complete = complete && node.time_ns;
  }
  std::optional<double> time_ns() const {
    return executions > 0 && complete ? std::optional(known_ns / executions) : std::nullopt;
  }
};

// Time per execution and half-width of its bound. A time that is not resolved lies between what is known and the bound.
std::pair<double, double> estimate_of(const Side& side, double profiler_bound_ns) {
  const double bound_ns = side.executions > 0 ? side.bound_ns / side.executions : 0;
  if (const std::optional<double> time_ns = side.time_ns()) {
    return {*time_ns, bound_ns};
  }
  const double known_ns = side.executions > 0 ? side.known_ns / side.executions : 0;
  const double half_ns = (bound_ns + profiler_bound_ns) / 2;
  return {known_ns + half_ns, half_ns};
}

struct Pairing {
  std::string name;
  std::string op_type;
  std::string matched_by;
  Side baseline;
  Side test;
};

std::vector<Pairing> pair_nodes(const std::vector<NodeSample>& baseline, const std::vector<NodeSample>& test) {
  std::map<std::string, const NodeSample*> by_name;
  for (const NodeSample& node : baseline) {
    by_name.emplace(node.name, &node);
  }
  std::vector<Pairing> pairs;
  std::map<std::pair<std::string, std::string>, Pairing> groups;
  const auto group = [&](const NodeSample& node) -> Pairing& {
    const auto [found, added] = groups.try_emplace({node.op_type, node.shapes},
                                                   Pairing{node.name, node.op_type, "operator and shapes", {}, {}});
    if (!added && found->second.name != node.name) {
      found->second.name = node.op_type + " " + node.shapes;  // several: no one node's name
    }
    return found->second;
  };
  for (const NodeSample& node : test) {
    const auto namesake = by_name.find(node.name);
    if (namesake == by_name.end() || namesake->second->op_type != node.op_type) {
      group(node).test.add(node);
      continue;
    }
    Pairing& pair = pairs.emplace_back(Pairing{node.name, node.op_type, "name", {}, {}});
    pair.baseline.add(*namesake->second);
    pair.test.add(node);
    by_name.erase(namesake);
  }
  for (const auto& [name, node] : by_name) {
    group(*node).baseline.add(*node);
  }
  for (auto& [key, pair] : groups) {
    if (pair.baseline.executions == 0) {
      pair.matched_by = "only in test";
    } else if (pair.test.executions == 0) {
      pair.matched_by = "only in baseline";
    }
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

NodeChange change_of(const Pairing& pair, double profiler_bound_a, double profiler_bound_b) {
  const Side& a = pair.baseline;
  const Side& b = pair.test;
  NodeChange change;
  change.name = pair.name;
  change.op_type = pair.op_type;
  change.matched_by = pair.matched_by;
  change.limit = b.executions > 0 ? b.limit : a.limit;
  change.executions_baseline = a.executions;
  change.executions_test = b.executions;
  change.time_baseline_ns = a.time_ns();
  change.time_test_ns = b.time_ns();
  const double more = b.executions - a.executions;
  if (!change.time_baseline_ns && !change.time_test_ns) {
    change.count_ns = more == 0 ? std::optional(0.0) : std::nullopt;
    return change;
  }
  const auto [time_a, bound_a] = estimate_of(a, profiler_bound_a);
  const auto [time_b, bound_b] = estimate_of(b, profiler_bound_b);
  const bool one_sided = a.executions == 0 || b.executions == 0;
  change.count_ns = more * (a.executions > 0 ? time_a : time_b);
  change.count_bound_ns = std::abs(more) * (a.executions > 0 ? bound_a : bound_b);
  change.time_ns = one_sided ? 0 : b.executions * (time_b - time_a);
  change.time_bound_ns = one_sided ? 0 : b.executions * std::hypot(bound_a, bound_b);
  return change;
}

}  // namespace

std::vector<NodeChange> node_changes(const RunSample& baseline, const RunSample& test) {
  std::vector<NodeChange> changes;
  for (const Pairing& pair : pair_nodes(baseline.nodes, test.nodes)) {
    changes.push_back(change_of(pair, baseline.profiler_bound_ns, test.profiler_bound_ns));
  }
  return changes;
}

}  // namespace aaco
