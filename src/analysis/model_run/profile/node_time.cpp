// SPDX-License-Identifier: MIT
#include "analysis/model_run/profile/node_time.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "record/intervals.h"

namespace aaco {

namespace {

// More processes than anybody profiles: a damaged bundle, on which work would grow as nodes times processes.
constexpr size_t kMostProcesses = 10'000;

// Median of `values`, none negative, and as many zeros as bring their number to `count`.
double median_with_zeros(std::vector<double> values, size_t count) {
  std::sort(values.begin(), values.end());
  const size_t zeros = count - values.size();
  const auto at = [&](size_t rank) { return rank < zeros ? 0 : values[rank - zeros]; };
  return (at((count - 1) / 2) + at(count / 2)) / 2;
}

struct NodeKey {
  std::string_view node;
  std::string_view kernel;
  auto operator<=>(const NodeKey&) const = default;
};

// Recorded time of a node in one inference.
struct InferenceTime {
  size_t inference = 0;
  double raw_ns = 0;
};

struct NodeExecutions {
  const KernelRow* first = nullptr;
  int64_t executions = 0;
  std::vector<InferenceTime> times;  // of the inferences that executed it, in order
};

// Which process each inference of the view ran in, and how many each process ran.
struct Processes {
  std::vector<size_t> of_inference;
  std::vector<size_t> inferences;
};

Processes processes_of(const ProfileView& view) {
  Processes processes;
  for (size_t i = 0; i < view.inferences.size(); ++i) {
    if (i == 0 || view.inferences[i].process != view.inferences[i - 1].process) {
      processes.inferences.push_back(0);
    }
    processes.of_inference.push_back(processes.inferences.size() - 1);
    ++processes.inferences.back();
  }
  return processes;
}

std::vector<NodeExecutions> gather(const ProfileView& view) {
  std::map<NodeKey, size_t> index;
  std::vector<NodeExecutions> nodes;
  for (size_t i = 0; i < view.inferences.size(); ++i) {
    for (const KernelRow* row : view.inferences[i].rows) {
      const auto [entry, added] = index.try_emplace({row->node_name, row->kernel_name}, nodes.size());
      if (added) {
        nodes.push_back({row, 0, {}});
      }
      NodeExecutions& node = nodes[entry->second];
      ++node.executions;
      if (node.times.empty() || node.times.back().inference != i) {
        node.times.push_back({i, 0});
      }
      node.times.back().raw_ns += static_cast<double>(row->dur_ns);
    }
  }
  return nodes;
}

// Median raw time in each process.
std::vector<double> raw_medians(const NodeExecutions& gathered, const Processes& processes) {
  std::vector<std::vector<double>> values(processes.inferences.size());
  for (const InferenceTime& time : gathered.times) {
    values[processes.of_inference[time.inference]].push_back(time.raw_ns);
  }
  std::vector<double> medians(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    medians[i] = median_with_zeros(std::move(values[i]), processes.inferences[i]);
  }
  return medians;
}

NodeTime time_of(const NodeExecutions& gathered, const Processes& processes, const ExecutionCost& cost) {
  const KernelRow& row = *gathered.first;
  NodeTime node;
  node.node_name = row.node_name;
  node.op_type = row.op_type;
  node.provider = row.provider;
  node.kernel_name = row.kernel_name;
  node.activity = row.activity;
  node.executions = static_cast<double>(gathered.executions) / static_cast<double>(processes.of_inference.size());
  const std::vector<double> medians = raw_medians(gathered, processes);
  node.processes = medians.size();
  for (size_t i = 0; i < medians.size(); ++i) {
    if (medians[i] > 0) {
      node.process_medians_ns.emplace_back(i, medians[i]);
    }
  }
  const Centre raw = centre_of(medians);
  node.raw_ns = raw.value;
  node.spread_ns = raw.spread;
  node.common_bound_ns = node.executions * (cost.bound_ns + cost.resolution_ns / 2);
  node.own_bound_ns = node.executions * cost.resolution_ns / 2;
  node.estimate_ns = std::max(raw.value - node.executions * cost.per_execution_ns, 0.0);
  node.upper_ns = node.estimate_ns + node.bound_ns();
  if (is_control_flow(row.op_type)) {
    node.quality = TimeQuality::kEncloses;
    node.upper_ns = raw.value + cost.resolution_ns + raw.spread;
  } else if (node.estimate_ns > node.bound_ns()) {
    node.quality = TimeQuality::kResolved;
    node.time_ns = node.estimate_ns;
  } else {
    node.quality = node.estimate_ns > node.bound_ns() - node.spread_ns ? TimeQuality::kProcessesDisagree
                                                                       : TimeQuality::kBelowResolution;
  }
  return node;
}

double union_of_inference(const ProfiledInference& inference, const ExecutionCost& cost) {
  std::vector<Span> spans;
  spans.reserve(inference.rows.size());
  const auto shrink = static_cast<int64_t>(std::min(cost.per_execution_ns, 1e15));
  for (const KernelRow* row : inference.rows) {
    if (!is_control_flow(row->op_type)) {
      spans.push_back({row->t_start_ns, row->t_start_ns + row->dur_ns - shrink});
    }
  }
  return static_cast<double>(length_ns(union_of(spans)));
}

bool ran_concurrently(const ProfileView& view) {
  std::set<std::tuple<int64_t, int64_t, std::optional<int64_t>>> lanes;
  std::set<int64_t> processes;
  for (const ProfiledInference& inference : view.inferences) {
    processes.insert(inference.process);
    for (const KernelRow* row : inference.rows) {
      lanes.emplace(inference.process, row->thread_id, row->queue_id);
    }
  }
  return lanes.size() > processes.size();
}

// Of one value per inference.
template <class Of>
Centre centre_over_inferences(const ProfileView& view, const Processes& processes, const Of& value_of) {
  std::vector<std::vector<double>> values(processes.inferences.size());
  for (size_t i = 0; i < view.inferences.size(); ++i) {
    values[processes.of_inference[i]].push_back(value_of(view.inferences[i]));
  }
  std::vector<double> medians;
  medians.reserve(values.size());
  for (const std::vector<double>& process_values : values) {
    medians.push_back(*median(process_values));
  }
  return centre_of(medians);
}

void add_union(NodeTimes& times, const ProfileView& view, const Processes& processes, const ExecutionCost& cost) {
  const Centre busy = centre_over_inferences(
      view, processes, [&](const ProfiledInference& inference) { return union_of_inference(inference, cost); });
  const double count = *times.dispatches_per_inference;
  const double bound = count * (cost.bound_ns + cost.resolution_ns / 2) +
                       std::hypot(std::sqrt(count) * cost.resolution_ns / 2, busy.spread);
  times.union_ns = busy.value;
  times.union_range = {std::max(0.0, busy.value - bound), busy.value + bound};
}

}  // namespace

std::optional<ExecutionCost> execution_cost(const RunFacts& facts, NodeActivity activity) {
  if (activity == NodeActivity::kDeviceKernel) {
    return ExecutionCost{};
  }
  const auto valid = [](double ns) { return ns >= 0 && std::isfinite(ns); };
  const auto& cost = facts.profiler_cost;
  if (!cost || !valid(cost->per_node_ns) || !valid(cost->bound_ns) || !valid(cost->resolution_ns)) {
    return std::nullopt;
  }
  return ExecutionCost{cost->per_node_ns, cost->bound_ns, cost->resolution_ns};
}

namespace {

// The parts of a sum's bound.
struct SumBound {
  double common = 0;
  double own_squares = 0;

  void add(const NodeTime& node) {
    common += node.common_bound_ns;
    own_squares += node.own_bound_ns * node.own_bound_ns;
  }
  double value() const { return common + std::sqrt(own_squares); }
};

// How far the processes' sums over the nodes that have a time reach from their median.
double spread_of_sum(const std::vector<const NodeTime*>& nodes) {
  std::vector<double> sums(nodes.empty() ? 0 : nodes.front()->processes);
  for (const NodeTime* node : nodes) {
    for (const auto& [process, raw_ns] : node->process_medians_ns) {
      sums[process] += node->time_ns ? raw_ns : 0;
    }
  }
  return centre_of(sums).spread;
}

}  // namespace

std::string group_of(const NodeTime& node) {
  return node.node_name.empty() ? kNotLinked : node.provider + ":" + node.op_type;
}

TimeSum sum_of(const std::vector<const NodeTime*>& nodes) {
  TimeSum sum;
  SumBound bound;
  double unknown_upper = 0;
  // Had the processes agreed: the sum, its bound, and the limit of what would still not be known.
  double agreed_ns = 0;
  SumBound agreed_bound;
  double agreed_upper = 0;
  for (const NodeTime* node : nodes) {
    if (node->time_ns) {
      ++sum.known;
      sum.known_ns += *node->time_ns;
      bound.add(*node);
    } else {
      ++sum.unknown;
      unknown_upper += node->upper_ns;
    }
    if (node->time_ns || node->quality == TimeQuality::kProcessesDisagree) {
      agreed_ns += node->estimate_ns;
      agreed_bound.add(*node);
    } else {
      agreed_upper += node->upper_ns - node->spread_ns;
    }
  }
  const double half = bound.value() + spread_of_sum(nodes);
  sum.range = {std::max(0.0, sum.known_ns - half), sum.known_ns + half + unknown_upper};
  const bool encloses = std::ranges::all_of(nodes, [](const NodeTime* node) { return is_control_flow(node->op_type); });
  sum.quality = sum.known_ns > half + unknown_upper               ? TimeQuality::kResolved
                : encloses                                        ? TimeQuality::kEncloses
                : agreed_ns > agreed_bound.value() + agreed_upper ? TimeQuality::kProcessesDisagree
                                                                  : TimeQuality::kBelowResolution;
  return sum;
}

namespace {

// A model may hand its inputs through: it is profiled, and no node runs.
std::string why_no_inference(const Recording& recording) {
  const auto plane = recording.planes.find("profiler");
  const bool recorded = plane != recording.planes.end() && plane->second.state == PlaneStatus::kRecorded;
  const bool ran = recorded && std::ranges::any_of(recording.iterations, [](const IterationRow& row) {
                     return row.phase == IterationPhase::kProfile;
                   });
  return ran        ? "no node ran in the profiled inferences"
         : recorded ? "the profile holds no inference"
                    : "needs --profile";
}

}  // namespace

NodeTimes node_times(const Recording& recording, const ProfileView& view) {
  NodeTimes times;
  times.activity = view.activity;
  const Processes processes = processes_of(view);
  if (view.inferences.empty() || processes.inferences.size() > kMostProcesses) {
    times.unavailable = !view.inferences.empty() ? "too many profiled processes" : why_no_inference(recording);
    return times;
  }
  times.dispatches_per_inference = centre_over_inferences(view, processes, [](const ProfiledInference& inference) {
                                     return static_cast<double>(inference.rows.size());
                                   }).value;
  times.durations_ns = centre_over_inferences(view, processes, [](const ProfiledInference& inference) {
                         double sum = 0;
                         for (const KernelRow* row : inference.rows) {
                           sum += static_cast<double>(row->dur_ns);
                         }
                         return sum;
                       }).value;
  times.concurrent = ran_concurrently(view);
  const auto cost = execution_cost(recording.facts, view.activity);
  if (!cost) {
    times.unavailable = recording.facts.profiler_cost
                            ? "the calibration of the profiler's own cost failed: other work held the processors"
                            : "the profiler's own cost was not calibrated";
    return times;
  }
  for (const NodeExecutions& gathered : gather(view)) {
    times.nodes.push_back(time_of(gathered, processes, *cost));
  }
  std::vector<const NodeTime*> all;
  all.reserve(times.nodes.size());
  for (const NodeTime& node : times.nodes) {
    all.push_back(&node);
  }
  times.sum = sum_of(all);
  add_union(times, view, processes, *cost);
  return times;
}

}  // namespace aaco
