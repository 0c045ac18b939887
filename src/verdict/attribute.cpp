// SPDX-License-Identifier: MIT
#include "verdict/attribute.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "verdict/node_sum.h"

namespace aaco {

namespace {

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) {
    sum += std::log(value);
  }
  return std::exp(sum / static_cast<double>(values.size()));
}

// Nodes that run at the same time may add up to more than the latency; nodes one after the other may not.
bool reconciles(const RunSample& sample) {
  const double longest_ns = *std::ranges::max_element(sample.process_medians_ns);
  const NodeSum nodes = sum_of_nodes(sample);
  return sample.configuration.inter_op_threads > 1 || nodes.known_ns - half_width(nodes.bound) <= longest_ns;
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

void add_node_terms(const RunSample& baseline, const RunSample& test, Attribution& result) {
  NodeChanges changes = node_changes(baseline, test);
  result.nodes = std::move(changes.nodes);
  result.count_ns = changes.count_ns;
  result.time_ns = changes.time_ns;
  result.count_bound_ns = changes.count_bound_ns;
  result.time_bound_ns = changes.time_bound_ns;
  if (!result.time_ns) {
    result.time_unavailable = "no node has a time on both sides";
  }
}

// Where it was not recorded, the node times' own: they were taken off the latency.
double exposed_bound(const RunSample& sample) {
  const NodeSum nodes = sum_of_nodes(sample);
  return sample.exposed_bound_ns.value_or(half_width(nodes.bound) + nodes.unknown_ns);
}

void add_gap_term(const RunSample& baseline, const RunSample& test, Attribution& result) {
  if (!baseline.exposed_ns || !test.exposed_ns) {
    result.gap_unavailable = std::string(baseline.exposed_ns ? "test" : "baseline") + ": exposed time is not known";
    return;
  }
  result.exposed_ns_baseline = baseline.exposed_ns;
  result.exposed_ns_test = test.exposed_ns;
  const double bound_ns = exposed_bound(baseline);
  double moved = 0;  // from gap to count, of the baseline's exposed time
  for (NodeChange& change : result.nodes) {
    if (!change.count_ns) {
      const double share = (change.executions_test - change.executions_baseline) / *result.launches_baseline;
      change.count_ns = share * *baseline.exposed_ns;
      change.count_bound_ns = std::abs(share) * bound_ns;
      result.count_ns = result.count_ns.value_or(0) + *change.count_ns;
      moved += share;
    }
  }
  result.count_bound_ns += std::abs(moved) * bound_ns;
  result.gap_ns = *test.exposed_ns - (1 + moved) * *baseline.exposed_ns;
  result.gap_bound_ns = std::hypot(exposed_bound(test), (1 + moved) * bound_ns);
}

void add_clock_share(const RunSample& baseline, const RunSample& test, Attribution& result) {
  if (!result.time_ns) {
    result.clock_unavailable = "there is no time term";
    return;
  }
  for (const auto& [sample, side] : {std::pair{&baseline, "baseline"}, std::pair{&test, "test"}}) {
    if (!sample->cpu_frequency_mhz || !(*sample->cpu_frequency_mhz > 0)) {
      result.clock_unavailable =
          std::string(side) + ": CPU frequency was not sampled while the process kept all processors busy";
      return;
    }
  }
  const double slower = *baseline.cpu_frequency_mhz / *test.cpu_frequency_mhz - 1;
  double foretold = 0;
  double seen = 0;
  for (const NodeChange& node : result.nodes) {
    if (node.time_ns && node.time_baseline_ns && node.limit != NodeLimit::kMemory) {
      foretold += node.executions_test * *node.time_baseline_ns * slower;
      seen += *node.time_ns;
    }
  }
  // A clock cannot explain more than what was seen, nor a change in the other direction.
  result.clock_ns = std::clamp(foretold, std::min(seen, 0.0), std::max(seen, 0.0));
}

std::optional<double> executions_of(const RunSample& sample) {
  const double executions = sum_of_nodes(sample).executions;
  return executions > 0 ? std::optional(executions) : std::nullopt;
}

// Mean duration over timed executions; none when those are less than half.
std::optional<double> mean_kernel(const RunSample& sample) {
  const NodeSum nodes = sum_of_nodes(sample);
  return 2 * nodes.timed_executions >= nodes.executions ? std::optional(nodes.known_ns / nodes.timed_executions)
                                                        : std::nullopt;
}

void add_kernel_evidence(const RunSample& baseline, const RunSample& test, Attribution& result) {
  if (!result.launches_baseline || !result.launches_test) {
    return;
  }
  result.kernel_basis = KernelBasis::kTimedKernels;
  result.kernel_ns_baseline = mean_kernel(baseline);
  result.kernel_ns_test = mean_kernel(test);
  if (!result.reconciled || !result.kernel_ns_baseline || !result.kernel_ns_test) {
    result.kernel_basis = KernelBasis::kExecutedNodes;
    result.kernel_ns_baseline = result.baseline_ns / *result.launches_baseline;
    result.kernel_ns_test = result.test_ns / *result.launches_test;
  }
}

ChangeTerm largest_of(const Attribution& result) {
  const double direction = result.change_ns < 0 ? -1 : 1;
  ChangeTerm largest = ChangeTerm::kUnexplained;
  double most = direction * result.unexplained_ns;
  for (const auto& [term, ns] :
       {std::pair{ChangeTerm::kCount, result.count_ns}, std::pair{ChangeTerm::kTime, result.time_ns},
        std::pair{ChangeTerm::kGap, result.gap_ns}}) {
    if (ns && direction * *ns > most) {
      most = direction * *ns;
      largest = term;
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
