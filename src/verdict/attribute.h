// SPDX-License-Identifier: MIT
// Why did it change? The change of latency per inference (geometric means over processes) is split into terms that add
// up:
//
//   change = count + time + gap + unexplained
//   count  = sum over nodes of (n_test - n_baseline) t_baseline       more or fewer kernel executions
//   time   = sum over nodes of n_test (t_test - t_baseline)           the same executions, slower or faster
//   gap    = exposed_test - exposed_baseline                          time in which no node ran
//
// n: executions per inference, t: time per execution, by node (node_change.h). A node below the profiler's resolution
// on both sides has no time term; the cost of its execution, dispatch included, is taken from the unprofiled latency: t
// = exposed_baseline / n_baseline over all nodes (with no node above resolution, latency over executed nodes). What
// that gives to count is taken from gap.
//
// Clock is the share of the time term that the ratio of CPU frequencies foretells for nodes not limited by memory.
// Node times that add up to more than the latency of any measured process do not reconcile: they give no terms.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verdict/node_change.h"
#include "verdict/run_sample.h"

namespace aaco {

enum class ChangeTerm : uint8_t { kUnknown, kCount, kTime, kGap, kUnexplained };
template <>
inline constexpr EnumWords<ChangeTerm, 5> kWordsOf<ChangeTerm>{{"", "count", "time", "gap", "unexplained"}};

// What the mean duration of a kernel is taken from: executions with a time, where those are at least half of both
// sides.
enum class KernelBasis : uint8_t { kUnknown, kTimedKernels, kExecutedNodes };
template <>
inline constexpr EnumWords<KernelBasis, 3> kWordsOf<KernelBasis>{{"", "timed kernels", "latency over executed nodes"}};

struct Attribution {
  double baseline_ns = 0;  // geometric mean over processes
  double test_ns = 0;
  double change_ns = 0;
  std::optional<double> count_ns;  // none: no node gives one
  std::optional<double> time_ns;
  std::optional<double> gap_ns;
  double unexplained_ns = 0;
  // Half-widths (node_sum.h); that of gap contains the latency's.
  double count_bound_ns = 0;
  double time_bound_ns = 0;
  double gap_bound_ns = 0;
  std::optional<double> clock_ns;   // part of time_ns
  std::string clock_unavailable;    // why there is none
  std::string profile_unavailable;  // why node times cannot be used; empty when they can
  bool reconciled = true;           // false: node times add up to more than the latency
  std::string time_unavailable;
  std::string gap_unavailable;
  ChangeTerm largest_term = ChangeTerm::kUnknown;  // in the direction of the change
  std::vector<NodeChange> nodes;                   // largest |count + time| first

  // Evidence.
  std::optional<double> launches_baseline, launches_test;  // kernel executions per inference
  std::optional<double> kernel_ns_baseline, kernel_ns_test;
  KernelBasis kernel_basis = KernelBasis::kUnknown;
  std::optional<double> exposed_ns_baseline, exposed_ns_test;
};

// Pure. Both samples need process medians (a comparison that is not invalid); none otherwise.
std::optional<Attribution> attribute_change(const RunSample& baseline, const RunSample& test);

}  // namespace aaco
