// SPDX-License-Identifier: MIT
#include "verdict/node_sum.h"

#include <algorithm>
#include <cmath>

#include "base/statistics.h"

namespace aaco {

namespace {

double spread_of(const SumBound& bound) {
  return centre_of(bound.process_ns[0]).spread + centre_of(bound.process_ns[1]).spread;
}

void add_processes(std::vector<double>& sums, const std::vector<double>& process_ns, double weight) {
  sums.resize(std::max(sums.size(), process_ns.size()));
  for (size_t i = 0; i < process_ns.size(); ++i) {
    sums[i] += weight * process_ns[i];
  }
}

}  // namespace

void SumBound::add(const SumBound& other, double weight) {
  const double size = std::abs(weight);
  own_squares += weight * weight * other.own_squares;
  common_ns += size * other.common_ns;
  whole_ns += size * other.whole_ns;
  const size_t sign = weight < 0 ? 1 : 0;
  add_processes(process_ns[sign], other.process_ns[0], size);
  add_processes(process_ns[1 - sign], other.process_ns[1], size);
}

double half_width(const SumBound& baseline, const SumBound& test) {
  return std::hypot(spread_of(baseline), spread_of(test)) + std::sqrt(baseline.own_squares + test.own_squares) +
         std::hypot(baseline.common_ns, test.common_ns) + baseline.whole_ns + test.whole_ns;
}

void NodeSum::add(const NodeSample& node, double profiler_bound_ns) {
  limit = executions == 0 || limit == node.limit ? node.limit : NodeLimit::kUnknown;
  executions += node.executions;
  const double own_ns = node.executions * node.bound_ns;
  const double common_ns = node.executions * profiler_bound_ns;
  if (!node.time_ns) {
    unknown_ns += own_ns + common_ns;
    return;
  }
  timed_executions += node.executions;
  known_ns += node.executions * *node.time_ns;
  bound.common_ns += common_ns;
  if (node.process_ns.empty()) {
    bound.whole_ns += own_ns;
  } else {
    bound.own_squares += own_ns * own_ns;
    add_processes(bound.process_ns[0], node.process_ns, 1);
  }
}

std::optional<double> NodeSum::time_ns() const {
  return executions > 0 && timed_executions == executions ? std::optional(known_ns / executions) : std::nullopt;
}

SumBound NodeSum::middle_bound() const {
  SumBound middle = bound;
  middle.whole_ns += unknown_ns / 2;
  return middle;
}

NodeSum sum_of_nodes(const RunSample& sample) {
  NodeSum sum;
  for (const NodeSample& node : sample.nodes) {
    sum.add(node, sample.profiler_bound_ns);
  }
  return sum;
}

}  // namespace aaco
