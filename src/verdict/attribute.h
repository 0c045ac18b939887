// SPDX-License-Identifier: MIT
// Why did it change? The change of latency per inference (geometric means over processes) is split into terms that add
// up:
//
//   change = count + time + gap + unexplained
//   count  = sum over nodes of (n_test - n_baseline) t_baseline       more or fewer kernel executions
//   time   = sum over nodes of n_test (t_test - t_baseline)           the same executions, slower or faster
//   gap    = exposed_test - exposed_baseline                          time in which no node ran
//
// n: executions per inference, t: time per execution. Nodes are matched by name, those left by operator and input
// shapes, taken together. A node of one side only is all count: its t is that of the side which has it. A node whose
// time is below the profiler's resolution on both sides gives no term: what it did shows in gap or unexplained. Below
// it on one side, its t there is the middle of the bound. Clock is the share of the time term that the ratio of CPU
// frequencies foretells for nodes not limited by memory.
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
  std::string matched_by;  // "name", "operator and shapes", "only in baseline", "only in test"
  std::string limit;       // of the test's node, else the baseline's
  double executions_baseline = 0;
  double executions_test = 0;
  std::optional<double> time_baseline_ns;  // per execution
  std::optional<double> time_test_ns;
  std::optional<double> count_ns;  // terms; none when below resolution on both sides
  std::optional<double> time_ns;
  double count_bound_ns = 0;  // half-widths, without the miscalibration that all nodes of a side share
  double time_bound_ns = 0;
};

struct Attribution {
  double baseline_ns = 0;  // geometric mean over processes
  double test_ns = 0;
  double change_ns = 0;
  std::optional<double> count_ns;  // none: not profiled on both sides
  std::optional<double> time_ns;
  std::optional<double> gap_ns;
  double unexplained_ns = 0;
  // Half-widths. The nodes' own bounds are independent and add in quadrature; the miscalibration of the profiler's cost
  // is the same in each node of a side and adds up.
  double count_bound_ns = 0;
  double time_bound_ns = 0;
  double gap_bound_ns = 0;
  std::optional<double> clock_ns;   // part of time_ns
  std::string clock_unavailable;    // why there is none
  std::string profile_unavailable;  // why there are no count and time terms
  std::string gap_unavailable;
  std::string largest_term;       // "count", "time", "gap" or "unexplained": the largest in the direction of the change
  std::vector<NodeChange> nodes;  // largest |count + time| first

  // Evidence.
  std::optional<double> launches_baseline, launches_test;  // kernel executions per inference
  std::optional<double> kernel_ns_baseline,
      kernel_ns_test;  // mean duration over executions that are not below resolution
  std::optional<double> exposed_ns_baseline, exposed_ns_test;
};

// Pure. Both samples need process medians (a comparison that is not invalid); none otherwise.
std::optional<Attribution> attribute_change(const RunSample& baseline, const RunSample& test);

}  // namespace aaco
