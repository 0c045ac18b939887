// SPDX-License-Identifier: MIT
#include "verdict/node_change.h"

#include <map>
#include <utility>

#include "verdict/node_sum.h"

namespace aaco {

namespace {

struct Pairing {
  std::string name;
  std::string op_type;
  std::string matched_by;
  NodeSum baseline;
  NodeSum test;
};

std::vector<Pairing> pair_nodes(const RunSample& baseline, const RunSample& test) {
  std::map<std::string, const NodeSample*> by_name;
  for (const NodeSample& node : baseline.nodes) {
    by_name.emplace(node.name, &node);
  }
  std::vector<Pairing> pairs;
  std::map<std::pair<std::string, std::string>, Pairing> groups;
  const auto group = [&](const NodeSample& node) -> Pairing& {
    const auto [entry, added] = groups.try_emplace({node.op_type, node.shapes},
                                                   Pairing{node.name, node.op_type, "operator and shapes", {}, {}});
    if (!added && entry->second.name != node.name) {
      entry->second.name = node.op_type + " " + node.shapes;  // several: no one node's name
    }
    return entry->second;
  };
  for (const NodeSample& node : test.nodes) {
    const auto namesake = by_name.find(node.name);
    if (namesake == by_name.end() || namesake->second->op_type != node.op_type) {
      group(node).test.add(node, test.profiler_bound_ns);
      continue;
    }
    Pairing& pair = pairs.emplace_back(Pairing{node.name, node.op_type, "name", {}, {}});
    pair.baseline.add(*namesake->second, baseline.profiler_bound_ns);
    pair.test.add(node, test.profiler_bound_ns);
    by_name.erase(namesake);
  }
  for (const auto& [name, node] : by_name) {
    group(*node).baseline.add(*node, baseline.profiler_bound_ns);
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

// A weighted sum of both sides' node times.
struct Term {
  double ns = 0;
  SumBound baseline;
  SumBound test;

  Term() = default;
  Term(const Pairing& pair, double weight_baseline, double weight_test)
      : ns(weight_baseline * pair.baseline.middle_ns() + weight_test * pair.test.middle_ns()) {
    baseline.add(pair.baseline.middle_bound(), weight_baseline);
    test.add(pair.test.middle_bound(), weight_test);
  }
  void add(const Term& other) {
    ns += other.ns;
    baseline.add(other.baseline, 1);
    test.add(other.test, 1);
  }
  double bound_ns() const { return half_width(baseline, test); }
};

NodeChange without_terms(const Pairing& pair) {
  const NodeSum& a = pair.baseline;
  const NodeSum& b = pair.test;
  NodeChange change;
  change.name = pair.name;
  change.op_type = pair.op_type;
  change.matched_by = pair.matched_by;
  change.limit = b.executions > 0 ? b.limit : a.limit;
  change.executions_baseline = a.executions;
  change.executions_test = b.executions;
  change.time_baseline_ns = a.time_ns();
  change.time_test_ns = b.time_ns();
  return change;
}

}  // namespace

NodeChanges node_changes(const RunSample& baseline, const RunSample& test) {
  NodeChanges changes;
  Term counts;
  Term times;
  for (const Pairing& pair : pair_nodes(baseline, test)) {
    NodeChange& change = changes.nodes.emplace_back(without_terms(pair));
    const double a = pair.baseline.executions;
    const double b = pair.test.executions;
    if (pair.baseline.timed_executions == 0 && pair.test.timed_executions == 0) {
      change.count_ns = a == b ? std::optional(0.0) : std::nullopt;
      changes.count_ns = change.count_ns ? changes.count_ns.value_or(0) : changes.count_ns;
      continue;
    }
    const bool both = a > 0 && b > 0;
    const Term count = a > 0 ? Term(pair, (b - a) / a, 0) : Term(pair, 0, 1);
    const Term time = both ? Term(pair, -b / a, 1) : Term();
    change.count_ns = count.ns;
    change.count_bound_ns = count.bound_ns();
    change.time_ns = time.ns;
    change.time_bound_ns = time.bound_ns();
    counts.add(count);
    times.add(time);
    changes.count_ns = counts.ns;
    changes.time_ns = both || changes.time_ns ? std::optional(times.ns) : std::nullopt;
  }
  changes.count_bound_ns = counts.bound_ns();
  changes.time_bound_ns = times.bound_ns();
  return changes;
}

}  // namespace aaco
