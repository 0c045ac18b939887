// SPDX-License-Identifier: MIT
// Sums of one side's node times, and how far the truth may lie from them (analysis/model_run/profile/node_time.h). The
// parts of a bound add up in different ways, so they are kept apart until the sum is whole.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "verdict/run_sample.h"

namespace aaco {

// Of a weighted sum of node times.
struct SumBound {
  double own_squares = 0;  // resolution: each node's own, adds in quadrature
  double common_ns = 0;    // miscalibration of the profiler's cost: the same in every execution, adds up
  double whole_ns = 0;     // adds up: half the range of nodes without a time; bounds that the spread is not apart from
  // Raw times of each process, of nodes with a positive and of those with a negative weight: what makes a process slow
  // is in many of its nodes, so the spread is that of the processes' sums.
  std::array<std::vector<double>, 2> process_ns;

  void add(const SumBound& other, double weight);
};

// Half-width of the sum of two sides, whose errors are independent of each other but for what adds up.
double half_width(const SumBound& baseline, const SumBound& test = {});

// Nodes of one side taken together: totals per inference.
struct NodeSum {
  double executions = 0;
  double timed_executions = 0;            // of the nodes that have a time
  double known_ns = 0;                    // their time
  double unknown_ns = 0;                  // under which that of the others lies
  SumBound bound;                         // of known_ns
  NodeLimit limit = NodeLimit::kUnknown;  // that of all nodes

  void add(const NodeSample& node, double profiler_bound_ns);
  // Per execution; none unless all nodes have a time.
  std::optional<double> time_ns() const;
  // What is not known is taken in the middle of its range; half of that range is in the bound.
  double middle_ns() const { return known_ns + unknown_ns / 2; }
  SumBound middle_bound() const;
};

NodeSum sum_of_nodes(const RunSample& sample);

}  // namespace aaco
