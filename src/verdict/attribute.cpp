// SPDX-License-Identifier: MIT
#include "verdict/attribute.h"

#include <algorithm>
#include <cmath>
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

double timed_sum(const RunSample& sample) {
  double sum = 0;
  for (const NodeSample& node : sample.nodes) {
    sum += node.executions * node.time_ns.value_or(0);
  }
  return sum;
}

// Nodes that run at the same time may add up to more than the latency; nodes one after the other may not.
bool reconciles(const RunSample& sample) {
  const double longest_ns = *std::ranges::max_element(sample.process_medians_ns);
  return sample.configuration.inter_op_threads > 1 || timed_sum(sample) - total_bound(sample) <= longest_ns;
}

std::string why_no_node_times(const RunSample& sample, const std::string& side, bool& reconciled) {
  if (sample.nodes.empty()) {
    return side + ": " + (sample.nodes_unavailable.empty() ? "not profiled" : sample.nodes_unavailable);
  }
  if (!reconciles(sample)) {
    reconciled = false;
    return side + ": node times add up to more than the unprofiled latency";
  }
  return "";
}

bool of_one_side(const NodeChange& change) { return change.executions_baseline == 0 || change.executions_test == 0; }

void add_node_terms(const RunSample& baseline, const RunSample& test, Attribution& result) {
  double count_ns = 0;
  double time_ns = 0;
  bool counted = false;
  bool timed = false;
  double shared_count_executions = 0;
  double shared_time_executions = 0;
  for (const NodeChange& change : result.nodes) {
    counted = counted || change.count_ns;
    timed = timed || (change.time_ns && !of_one_side(change));
    count_ns += change.count_ns.value_or(0);
    time_ns += change.time_ns.value_or(0);
    result.count_bound_ns = std::hypot(result.count_bound_ns, change.count_bound_ns);
    result.time_bound_ns = std::hypot(result.time_bound_ns, change.time_bound_ns);
    shared_count_executions += change.count_ns ? std::abs(change.executions_test - change.executions_baseline) : 0;
    shared_time_executions += change.time_ns && !of_one_side(change) ? change.executions_test : 0;
  }
  const double profiler_bound_ns = std::hypot(baseline.profiler_bound_ns, test.profiler_bound_ns);
  result.count_bound_ns += shared_count_executions * profiler_bound_ns;
  result.time_bound_ns += shared_time_executions * profiler_bound_ns;
  if (counted) {
    result.count_ns = count_ns;
  }
  if (timed) {
    result.time_ns = time_ns;
  } else {
    result.time_unavailable = "no node has a time on both sides";
  }
}

void add_gap_term(const RunSample& baseline, const RunSample& test, Attribution& result) {
  if (!baseline.exposed_ns || !test.exposed_ns) {
    result.gap_unavailable = std::string(baseline.exposed_ns ? "test" : "baseline") + ": exposed time is not known";
    return;
  }
  result.exposed_ns_baseline = baseline.exposed_ns;
  result.exposed_ns_test = test.exposed_ns;
  result.gap_ns = *test.exposed_ns - *baseline.exposed_ns;
  result.gap_bound_ns = std::hypot(total_bound(baseline), total_bound(test));
  for (NodeChange& change : result.nodes) {
    if (!change.count_ns) {
      const double more = change.executions_test - change.executions_baseline;
      change.count_ns = more * *baseline.exposed_ns / *result.launches_baseline;
      result.count_ns = result.count_ns.value_or(0) + *change.count_ns;
      *result.gap_ns -= *change.count_ns;
    }
  }
}

void add_clock_share(const RunSample& baseline, const RunSample& test, Attribution& result) {
  if (!result.time_ns) {
    result.clock_unavailable = "there is no time term";
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

std::optional<double> executions_of(const RunSample& sample) {
  double executions = 0;
  for (const NodeSample& node : sample.nodes) {
    executions += node.executions;
  }
  return executions > 0 ? std::optional(executions) : std::nullopt;
}

// Mean duration over timed executions; none when those are less than half.
std::optional<double> mean_kernel(const RunSample& sample) {
  double timed = 0;
  for (const NodeSample& node : sample.nodes) {
    timed += node.time_ns ? node.executions : 0;
  }
  const std::optional<double> executions = executions_of(sample);
  return executions && 2 * timed >= *executions ? std::optional(timed_sum(sample) / timed) : std::nullopt;
}

void add_kernel_evidence(const RunSample& baseline, const RunSample& test, Attribution& result) {
  if (!result.launches_baseline || !result.launches_test) {
    return;
  }
  result.kernel_basis = "timed kernels";
  result.kernel_ns_baseline = mean_kernel(baseline);
  result.kernel_ns_test = mean_kernel(test);
  if (!result.reconciled || !result.kernel_ns_baseline || !result.kernel_ns_test) {
    result.kernel_basis = "latency over executed nodes";
    result.kernel_ns_baseline = result.baseline_ns / *result.launches_baseline;
    result.kernel_ns_test = result.test_ns / *result.launches_test;
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
  result.launches_baseline = executions_of(baseline);
  result.launches_test = executions_of(test);
  result.profile_unavailable = why_no_node_times(baseline, "baseline", result.reconciled);
  if (result.profile_unavailable.empty()) {
    result.profile_unavailable = why_no_node_times(test, "test", result.reconciled);
  }
  if (result.profile_unavailable.empty()) {
    result.nodes = node_changes(baseline, test);
    add_node_terms(baseline, test, result);
    add_gap_term(baseline, test, result);
    std::ranges::stable_sort(result.nodes, std::ranges::greater{}, [](const NodeChange& node) {
      return std::abs(node.count_ns.value_or(0) + node.time_ns.value_or(0));
    });
  } else {
    result.gap_unavailable = result.time_unavailable = result.profile_unavailable;
  }
  add_clock_share(baseline, test, result);
  result.unexplained_ns =
      result.change_ns - result.count_ns.value_or(0) - result.time_ns.value_or(0) - result.gap_ns.value_or(0);
  result.largest_term = largest_of(result);
  add_kernel_evidence(baseline, test, result);
  return result;
}

}  // namespace aaco
