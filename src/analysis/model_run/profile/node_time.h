// SPDX-License-Identifier: MIT
// Time of each executed node, with the profiler's own cost taken out and a bound on what is left.
//
// A profiler's duration of one execution is the node's time plus the profiler's cost, cut to its clock's resolution r.
// Per inference, over k executions of a node:
//   raw   = sum of the recorded durations; median over inferences, then over processes
//   time  = raw - k * per_node_ns                        (the cost, calibrated on nodes that do nothing)
//   bound = k * (bound_ns + r/2) + k * r/2 + spread
// Resolution: a recorded duration is short of the true one by an error that is uniform on [0, r), so r/2 on average and
// within r/2 of that. The calibrated cost was cut by the same clock, but all alike, by anything from 0 to r. Hence one
// part of the error is common to all executions (within r/2), and one is each node's own (within r/2). Spread reaches
// from the median over processes to the farther end of their 95 % interval, or of their range when there are fewer than
// three; of one process none is known, and it is zero.
// Where bound >= time no time is given, only the upper limit max(time, 0) + bound. The node is below resolution where
// that is so without the spread; else the processes disagree.
// Over several nodes the common parts add up, the own parts add in quadrature, and the spread is that of the sum: what
// makes a process slow is in many of its nodes, and is not averaged out by their number.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/model_run/profile/profile_view.h"
#include "base/statistics.h"

namespace aaco {

struct NodeTime {
  std::string node_name;
  std::string op_type;
  std::string provider;
  std::string kernel_name;
  NodeActivity activity = NodeActivity::kUnknown;
  double executions = 0;          // mean per profiled inference
  double raw_ns = 0;              // per inference
  double estimate_ns = 0;         // max(time, 0), however wide the bound is
  std::optional<double> time_ns;  // none where quality is not TimeQuality::kResolved
  TimeQuality quality = TimeQuality::kUnknown;
  double common_bound_ns = 0;  // the part of the bound that all nodes share
  double own_bound_ns = 0;     // the profiler's resolution
  double spread_ns = 0;        // between processes
  double upper_ns = 0;         // the true time lies under it
  size_t processes = 0;        // profiled ones
  // Of those in which it is not zero: which, and the median over its inferences of the raw time.
  std::vector<std::pair<size_t, double>> process_medians_ns;

  double bound_ns() const { return common_bound_ns + own_bound_ns + spread_ns; }
};

// Of a device's kernels whose node is not known (link/device_work.h): they have no name of a node.
inline constexpr const char* kNotLinked = "not linked";
// "provider:op_type".
std::string group_of(const NodeTime& node);

// A sum of node times: of those known, and the limits between which that of all lies.
struct TimeSum {
  double known_ns = 0;
  int64_t known = 0;    // nodes with a time
  int64_t unknown = 0;  // nodes without
  Interval range;
  TimeQuality quality = TimeQuality::kUnknown;  // kResolved where known_ns exceeds its bound

  bool complete() const { return unknown == 0; }
};

struct NodeTimes {
  NodeActivity activity = NodeActivity::kUnknown;
  std::string unavailable;                         // why there is none; empty when there are
  std::vector<NodeTime> nodes;                     // in order of first execution
  std::optional<double> dispatches_per_inference;  // median over profiled inferences; needs no calibration
  TimeSum sum;                                     // per inference
  std::optional<double> durations_ns;              // sum of the recorded durations, per inference
  std::optional<double> union_ns;                  // length of the union of the de-biased intervals, per inference
  Interval union_range;                            // that it lies in
  bool concurrent = false;                         // nodes ran on more than one thread or queue

  bool available() const { return unavailable.empty(); }
};

// The cost of one execution that is inside its recorded duration; zero for device activity, whose clock is the
// device's.
struct ExecutionCost {
  double per_execution_ns = 0;
  double bound_ns = 0;
  double resolution_ns = 0;
};
// None where it was not calibrated.
std::optional<ExecutionCost> execution_cost(const RunFacts& facts, NodeActivity activity);

NodeTimes node_times(const Recording& recording, const ProfileView& view);
// Of nodes of one node_times().
TimeSum sum_of(const std::vector<const NodeTime*>& nodes);

}  // namespace aaco
