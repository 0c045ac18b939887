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
// part of the error is common to all executions (within r/2), and one is each node's own (within r/2). Spread is half
// the 95 % interval over processes, or half their range when there are fewer than three. Where bound >= time the node
// is below resolution: no time is given, only the upper limit max(time, 0) + bound. Over several nodes the common parts
// add up, and the own parts add in quadrature.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/profile_view.h"
#include "base/statistics.h"

namespace aaco {

struct NodeTime {
  std::string node_name;
  std::string op_type;
  std::string provider;
  std::string kernel_name;
  std::string activity;
  double executions = 0;          // mean per profiled inference
  double raw_ns = 0;              // per inference
  std::optional<double> time_ns;  // none: below resolution, or a node whose time contains other nodes'
  double common_bound_ns = 0;     // the part of the bound that all nodes share
  double own_bound_ns = 0;
  double upper_ns = 0;  // the true time lies under it

  double bound_ns() const { return common_bound_ns + own_bound_ns; }
};

// A sum of node times: of those known, and the limits between which that of all lies.
struct TimeSum {
  double known_ns = 0;
  int64_t known = 0;    // nodes with a time
  int64_t unknown = 0;  // nodes without
  Interval range;

  bool complete() const { return unknown == 0; }
};

struct NodeTimes {
  std::string activity;
  std::string unavailable;                         // why there is none; empty when there are
  std::vector<NodeTime> nodes;                     // in order of first execution
  std::optional<double> dispatches_per_inference;  // median over profiled inferences; needs no calibration
  TimeSum sum;                                     // per inference
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
std::optional<ExecutionCost> execution_cost(const RunFacts& facts, const std::string& activity);

NodeTimes node_times(const Recording& recording, const ProfileView& view);
TimeSum sum_of(const std::vector<const NodeTime*>& nodes);

}  // namespace aaco
