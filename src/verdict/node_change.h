// SPDX-License-Identifier: MIT
// What changed in each node between two profiled runs: the terms (n_test - n_baseline) t_baseline and n_test (t_test -
// t_baseline), n executions per inference and t time per execution. Nodes are matched by name and operator; those left
// are taken together by operator and input shapes. A node of one side only is all count: its t is that of the side
// which has it. What is not resolved is the middle of its range, where any time of the pair is resolved.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verdict/run_sample.h"

namespace aaco {

// One node, or several of one operator and shape that had no namesake.
struct NodeChange {
  std::string name;
  std::string op_type;
  std::string matched_by;                 // "name", "operator and shapes", "only in baseline", "only in test"
  NodeLimit limit = NodeLimit::kUnknown;  // of the test's node, else the baseline's
  double executions_baseline = 0;
  double executions_test = 0;
  std::optional<double> time_baseline_ns;  // per execution
  std::optional<double> time_test_ns;
  std::optional<double> count_ns;  // none when resolved on neither side and executed more or less often
  std::optional<double> time_ns;   // none when resolved on neither side
  double count_bound_ns = 0;       // half-widths
  double time_bound_ns = 0;
};

struct NodeChanges {
  std::vector<NodeChange> nodes;   // unsorted; every node of both sides is in one of them
  std::optional<double> count_ns;  // sums; none: no node gives one
  std::optional<double> time_ns;   // none also where each node with a time is of one side
  double count_bound_ns = 0;       // half-widths, narrower or wider than the nodes' would add up to (node_sum.h)
  double time_bound_ns = 0;
};

NodeChanges node_changes(const RunSample& baseline, const RunSample& test);

}  // namespace aaco
