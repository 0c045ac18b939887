// SPDX-License-Identifier: MIT
#include "verdict/attribute.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace aaco {

namespace {

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) {
    sum += std::log(value);
  }
  return std::exp(sum / static_cast<double>(values.size()));
}

// Nodes of one side that are taken together: totals per inference.
struct Side {
  double executions = 0;
  double known_ns = 0;   // of the nodes that are not below resolution
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

// Time per execution and half-width of its bound. A time below resolution lies between what is known and the bound.
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
    return groups
        .try_emplace({node.op_type, node.shapes}, Pairing{node.name, node.op_type, "operator and shapes", {}, {}})
        .first->second;
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
  if (!change.time_baseline_ns && !change.time_test_ns) {
    return change;
  }
  const auto [time_a, bound_a] = estimate_of(a, profiler_bound_a);
  const auto [time_b, bound_b] = estimate_of(b, profiler_bound_b);
  const bool one_sided = a.executions == 0 || b.executions == 0;
  const double more = b.executions - a.executions;
  change.count_ns = more * (a.executions > 0 ? time_a : time_b);
  change.count_bound_ns = std::abs(more) * (a.executions > 0 ? bound_a : bound_b);
  change.time_ns = one_sided ? 0 : b.executions * (time_b - time_a);
  change.time_bound_ns = one_sided ? 0 : b.executions * std::hypot(bound_a, bound_b);
  return change;
}

// Half-width of the sum of a side's node times.
double total_bound(const RunSample& sample) {
  double own = 0;
  double executions = 0;
  for (const NodeSample& node : sample.nodes) {
    own = std::hypot(own, node.executions * node.bound_ns);
    executions += node.executions;
  }
  return own + executions * sample.profiler_bound_ns;
}

void add_node_terms(const RunSample& baseline, const RunSample& test, Attribution& result) {
  for (const auto& [sample, side] : {std::pair{&baseline, "baseline"}, std::pair{&test, "test"}}) {
    if (sample->nodes.empty()) {
      result.profile_unavailable =
          std::string(side) + ": " + (sample->nodes_unavailable.empty() ? "not profiled" : sample->nodes_unavailable);
      return;
    }
  }
  result.count_ns = 0;
  result.time_ns = 0;
  const double profiler_bound_ns = std::hypot(baseline.profiler_bound_ns, test.profiler_bound_ns);
  double shared_count_bound_ns = 0;
  double shared_time_bound_ns = 0;
  for (const Pairing& pair : pair_nodes(baseline.nodes, test.nodes)) {
    const NodeChange& change =
        result.nodes.emplace_back(change_of(pair, baseline.profiler_bound_ns, test.profiler_bound_ns));
    *result.count_ns += change.count_ns.value_or(0);
    *result.time_ns += change.time_ns.value_or(0);
    result.count_bound_ns = std::hypot(result.count_bound_ns, change.count_bound_ns);
    result.time_bound_ns = std::hypot(result.time_bound_ns, change.time_bound_ns);
    if (change.matched_by != "only in test" && change.matched_by != "only in baseline" && change.time_ns) {
      shared_time_bound_ns += change.executions_test * profiler_bound_ns;
    }
    shared_count_bound_ns += std::abs(change.executions_test - change.executions_baseline) * profiler_bound_ns;
  }
  result.count_bound_ns += shared_count_bound_ns;
  result.time_bound_ns += shared_time_bound_ns;
  std::ranges::stable_sort(result.nodes, std::ranges::greater{}, [](const NodeChange& node) {
    return std::abs(node.count_ns.value_or(0) + node.time_ns.value_or(0));
  });
}

void add_gap_term(const RunSample& baseline, const RunSample& test, Attribution& result) {
  if (!result.profile_unavailable.empty()) {
    result.gap_unavailable = result.profile_unavailable;
  } else if (!baseline.exposed_ns || !test.exposed_ns) {
    result.gap_unavailable = std::string(baseline.exposed_ns ? "test" : "baseline") + ": exposed time is not known";
  } else {
    result.exposed_ns_baseline = baseline.exposed_ns;
    result.exposed_ns_test = test.exposed_ns;
    result.gap_ns = *test.exposed_ns - *baseline.exposed_ns;
    result.gap_bound_ns = std::hypot(total_bound(baseline), total_bound(test));
  }
}

void add_clock_share(const RunSample& baseline, const RunSample& test, Attribution& result) {
  if (!result.time_ns) {
    result.clock_unavailable = result.profile_unavailable;
    return;
  }
  for (const auto& [sample, side] : {std::pair{&baseline, "baseline"}, std::pair{&test, "test"}}) {
    if (!sample->cpu_frequency_mhz || !(*sample->cpu_frequency_mhz > 0)) {
      result.clock_unavailable = std::string(side) + ": CPU frequency was not sampled";
      return;
    }
  }
  const double slower = *baseline.cpu_frequency_mhz / *test.cpu_frequency_mhz - 1;
  double foretold = 0;
  double seen = 0;
  for (const NodeChange& node : result.nodes) {
    if (node.time_ns && node.time_baseline_ns && node.limit != "memory") {
      foretold += node.executions_test * *node.time_baseline_ns * slower;
      seen += *node.time_ns;
    }
  }
  // A clock cannot explain more than what was seen, nor a change in the other direction.
  result.clock_ns = std::clamp(foretold, std::min(seen, 0.0), std::max(seen, 0.0));
}

void add_evidence(const RunSample& sample, std::optional<double>& launches, std::optional<double>& kernel_ns) {
  double executions = 0;
  double timed_executions = 0;
  double timed_ns = 0;
  for (const NodeSample& node : sample.nodes) {
    executions += node.executions;
    if (node.time_ns) {
      timed_executions += node.executions;
      timed_ns += node.executions * *node.time_ns;
    }
  }
  if (executions > 0) {
    launches = executions;
  }
  if (timed_executions > 0) {
    kernel_ns = timed_ns / timed_executions;
  }
}

std::string largest_of(const Attribution& result) {
  const double direction = result.change_ns < 0 ? -1 : 1;
  std::string largest = "unexplained";
  double most = direction * result.unexplained_ns;
  for (const auto& [name, term] :
       {std::pair{"count", result.count_ns}, std::pair{"time", result.time_ns}, std::pair{"gap", result.gap_ns}}) {
    if (term && direction * *term > most) {
      most = direction * *term;
      largest = name;
    }
  }
  return largest;
}

}  // namespace

std::optional<Attribution> attribute_change(const RunSample& baseline, const RunSample& test) {
  if (baseline.process_medians_ns.empty() || test.process_medians_ns.empty()) {
    return std::nullopt;
  }
  Attribution result;
  result.baseline_ns = geometric_mean(baseline.process_medians_ns);
  result.test_ns = geometric_mean(test.process_medians_ns);
  result.change_ns = result.test_ns - result.baseline_ns;
  add_node_terms(baseline, test, result);
  add_gap_term(baseline, test, result);
  add_clock_share(baseline, test, result);
  result.unexplained_ns =
      result.change_ns - result.count_ns.value_or(0) - result.time_ns.value_or(0) - result.gap_ns.value_or(0);
  result.largest_term = largest_of(result);
  add_evidence(baseline, result.launches_baseline, result.kernel_ns_baseline);
  add_evidence(test, result.launches_test, result.kernel_ns_test);
  return result;
}

}  // namespace aaco
