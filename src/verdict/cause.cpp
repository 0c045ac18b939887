// SPDX-License-Identifier: MIT
#include "verdict/cause.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

#include "base/format.h"

namespace aaco {

namespace {

struct Advice {
  const char* rule;
  const char* recommendation;
};

// One line per rule id.
constexpr std::array kAdvice{
    Advice{"no-change", "Nothing to do."},
    Advice{"undecided", "Measure more processes on both sides, or interleave them with --rerun."},
    Advice{
        "undecided-interleaved",
        "Measure more processes on both sides (--processes of both runs), on a quieter machine, and interleave those."},
    Advice{
        "undecidable-apart",
        "Interleave the two sides (--rerun): what the machine drifts between two sessions is more than what is asked "
        "for; or ask for a larger change (--min-effect)."},
    Advice{"undecidable",
           "Ask for a smaller or larger change (--min-effect): this one is about as large as the least that counts."},
    Advice{"fewer-slow-iterations", "Nothing to do: iterations that were slow are so no longer."},
    Advice{"slow-iterations",
           "Find what the slow iterations wait for: record both sides with --telemetry and look when they come "
           "(throttling, page faults, other programs, a quota); interleave them (--rerun)."},
    Advice{"not-profiled", "Record both sides with --profile: without node times the change cannot be split."},
    Advice{"not-reconciled",
           "Record both sides again with the machine to themselves: the profiled processes were slower than the "
           "measured ones."},
    Advice{"unexplained",
           "Record both sides again with --profile --telemetry, interleaved (--rerun): what changed is not in the "
           "profiled processes."},
    Advice{"below-resolution",
           "The term is within its bound: record both sides with more --processes, use a larger batch, or a device "
           "activity profiler."},
    Advice{"waiting-for-processors", "Free the processors, or pin the run (--pin): threads waited for a processor."},
    Advice{"quota", "Give both sides the same CPU quota (cpu.max of the control group): a quota stopped the run."},
    Advice{"blocked", "Find what the measuring thread waits for: locks, page faults, input and output."},
    Advice{"clock", "Compare at a fixed clock: check governor, power cap and temperature on both sides."},
    Advice{"more-launches", "Investigate graph partitioning changes. Consider operator fusion."},
    Advice{"launch-cost", "Each dispatch costs more: compare runtime, driver and thread settings of both sides."},
    Advice{"memory-nodes",
           "Look at the slower memory-bound nodes: layout, precision, fusion of element-wise operators, memory clock."},
    Advice{"compute-nodes",
           "Look at the slower compute-bound nodes: kernel choice, precision of the arithmetic, thread count."},
    Advice{"replaced-nodes", "Other nodes run than before: compare graph optimisation level and runtime version."},
    Advice{"limit-unknown",
           "Run aaco doctor --measure, so that the limit of each node is known; look at the nodes with the largest "
           "terms."},
    Advice{"outside-nodes",
           "Time outside the nodes changed: compare runtime version, thread settings and input handling."},
};

Cause cause_of(BottleneckClass suspected, const char* rule, std::string reason) {
  for (const Advice& advice : kAdvice) {
    if (std::string_view(advice.rule) == rule) {
      return {suspected, std::move(reason), rule, advice.recommendation};
    }
  }
  return {suspected, std::move(reason), rule, ""};
}

// A change, seen in the direction of the whole: positive means that it contributed.
struct Direction {
  double sign;
  double whole_ns;  // positive

  double toward(double change) const { return sign * change; }
  bool explains(double change) const { return toward(change) >= kExplainingShare * whole_ns; }
  std::string share(double change) const { return format_percent(toward(change) / whole_ns, 0); }
};

std::optional<double> difference(const std::optional<double>& baseline, const std::optional<double>& test) {
  return baseline && test ? std::optional(*test - *baseline) : std::nullopt;
}

// The limit that most of the nodes' terms in the direction of the change belong to; kUnknown when none has a majority.
NodeLimit dominant_limit(const Attribution& attribution, const Direction& direction, bool count_term) {
  std::map<NodeLimit, double> weights;
  double total = 0;
  for (const NodeChange& node : attribution.nodes) {
    const double contribution = direction.toward((count_term ? node.count_ns : node.time_ns).value_or(0));
    if (contribution > 0) {
      weights[node.limit] += contribution;
      total += contribution;
    }
  }
  for (const auto& [limit, weight] : weights) {
    if (weight >= kExplainingShare * total) {
      return limit;
    }
  }
  return NodeLimit::kUnknown;
}

// The class that fits nodes of this limit; where the roofs are unknown, what the classifier said of the test run
// counts.
Cause cause_of_limit(NodeLimit limit, BottleneckClass test_class, const std::string& what) {
  std::string source = "by the measured roofs";
  const bool of_memory = test_class == BottleneckClass::kMemoryBound;
  if (limit == NodeLimit::kUnknown && (of_memory || test_class == BottleneckClass::kComputeBound)) {
    limit = of_memory ? NodeLimit::kMemory : NodeLimit::kCompute;
    source = "as the whole run is";
  }
  if (limit == NodeLimit::kMemory) {
    return cause_of(BottleneckClass::kMemoryBound, "memory-nodes",
                    fmt::format("{}; they are limited by memory, {}", what, source));
  }
  if (limit == NodeLimit::kCompute) {
    return cause_of(BottleneckClass::kComputeBound, "compute-nodes",
                    fmt::format("{}; they are limited by arithmetic, {}", what, source));
  }
  if (limit == NodeLimit::kOverhead) {
    return cause_of(BottleneckClass::kLaunchBound, "launch-cost",
                    fmt::format("{}; the cost of a dispatch is their highest floor", what));
  }
  return cause_of(BottleneckClass::kUndetermined, "limit-unknown", what + "; what limits them is not known");
}

// A term within its bound may as well be nothing.
std::optional<Cause> cause_within_bound(double term_ns, double bound_ns, const std::string& what) {
  if (std::abs(term_ns) > bound_ns) {
    return std::nullopt;
  }
  return cause_of(BottleneckClass::kUndetermined, "below-resolution",
                  fmt::format("{}, but within its bound of {}", what, format_duration_ns(bound_ns)));
}

Cause cause_of_count(const Attribution& attribution, const Direction& direction, const RunSample& test) {
  const double more = difference(attribution.launches_baseline, attribution.launches_test).value_or(0);
  const std::string what = fmt::format("the count term is {} of the change", direction.share(*attribution.count_ns));
  if (auto cause = cause_within_bound(*attribution.count_ns, attribution.count_bound_ns, what)) {
    return *std::move(cause);
  }
  if (direction.toward(more) <= 0) {
    Cause cause = cause_of_limit(dominant_limit(attribution, direction, true), BottleneckClass::kUnknown,
                                 what + " without more executions: nodes were replaced");
    return cause.suspected_cause == BottleneckClass::kUndetermined
               ? cause_of(BottleneckClass::kUndetermined, "replaced-nodes", cause.reason)
               : cause;
  }
  const double each_ns = *attribution.count_ns / more;
  const std::string launches =
      fmt::format("{}; {:+.4g} kernel executions per inference, {} each", what, more, format_duration_ns(each_ns));
  if (each_ns < kSmallKernelNs) {
    return cause_of(BottleneckClass::kLaunchBound, "more-launches", launches);
  }
  return cause_of_limit(dominant_limit(attribution, direction, true), test.bottleneck_class, launches);
}

Cause cause_of_gap(const Attribution& attribution, const Direction& direction, const RunSample& baseline,
                   const RunSample& test) {
  const std::string what =
      fmt::format("time in which no node ran is {} of the change", direction.share(*attribution.gap_ns));
  if (const auto blocked = difference(baseline.off_cpu_ns, test.off_cpu_ns); blocked && direction.explains(*blocked)) {
    return cause_of(
        BottleneckClass::kCpuBound, "blocked",
        fmt::format("{}; the measuring thread was off the processor {} more", what, format_duration_ns(*blocked)));
  }
  if (auto cause = cause_within_bound(*attribution.gap_ns, attribution.gap_bound_ns, what)) {
    return *std::move(cause);
  }
  const double more = difference(attribution.launches_baseline, attribution.launches_test).value_or(0);
  if (direction.toward(more) > 0) {
    return cause_of(BottleneckClass::kLaunchBound, "more-launches",
                    fmt::format("{}; {:+.4g} kernel executions per inference", what, more));
  }
  if (test.bottleneck_class == BottleneckClass::kLaunchBound) {
    return cause_of(BottleneckClass::kLaunchBound, "launch-cost",
                    what + " with as many kernel executions, and the run is launch-bound");
  }
  return cause_of(BottleneckClass::kUndetermined, "outside-nodes", what + " with as many kernel executions");
}

Cause cause_of_time(const Attribution& attribution, const Direction& direction, const RunSample& test) {
  const std::string what = fmt::format("the time term is {} of the change", direction.share(*attribution.time_ns));
  if (auto cause = cause_within_bound(*attribution.time_ns, attribution.time_bound_ns, what)) {
    return *std::move(cause);
  }
  return cause_of_limit(dominant_limit(attribution, direction, false), test.bottleneck_class, what);
}

Cause cause_without_change(const Comparison& comparison) {
  const std::string reason = fmt::format("no change was shown: the verdict is {}", verdict_name(comparison.verdict));
  const bool undecidable =
      comparison.verdict == Verdict::kInconclusive && comparison.interval && !comparison.processes_needed;
  return cause_of(BottleneckClass::kUndetermined,
                  comparison.verdict == Verdict::kEquivalent ? "no-change"
                  : !undecidable           ? (comparison.interleaved ? "undecided-interleaved" : "undecided")
                  : comparison.interleaved ? "undecidable"
                                           : "undecidable-apart",
                  reason);
}

}  // namespace

Cause suspect_cause(const Comparison& comparison, const Attribution& attribution, const RunSample& baseline,
                    const RunSample& test) {
  if (comparison.verdict != Verdict::kRegressed && comparison.verdict != Verdict::kImproved) {
    return cause_without_change(comparison);
  }
  if (!comparison.decided_by.empty()) {
    // The terms are of the medians, which did not change so.
    return cause_of(
        BottleneckClass::kUndetermined,
        comparison.verdict == Verdict::kImproved ? "fewer-slow-iterations" : "slow-iterations",
        fmt::format("{} changed and the median did not: some iterations did", fmt::join(comparison.decided_by, ", ")));
  }
  const Direction direction{attribution.change_ns < 0 ? -1.0 : 1.0, std::abs(attribution.change_ns)};
  const auto waited = difference(baseline.run_delay_ns, test.run_delay_ns);
  // What a quota stops waits too: the quota is the reason for it.
  const auto stopped = difference(baseline.quota_stopped_ns, test.quota_stopped_ns);
  const bool by_quota = stopped && direction.explains(*stopped);
  const std::string waiting =
      by_quota ? fmt::format("a CPU quota stopped the run {} more per inference", format_duration_ns(*stopped))
      : waited && direction.explains(*waited)
          ? fmt::format("threads were runnable but not running {} more per inference", format_duration_ns(*waited))
          : "";
  if (attribution.largest_term == ChangeTerm::kUnexplained) {
    const bool profiled = attribution.profile_unavailable.empty();
    const std::string reason =
        profiled ? fmt::format("the unexplained term is {} of the change", direction.share(attribution.unexplained_ns))
                 : "no node times: " + attribution.profile_unavailable;
    const char* rule = profiled ? "unexplained" : attribution.reconciled ? "not-profiled" : "not-reconciled";
    return cause_of(BottleneckClass::kUndetermined, rule, waiting.empty() ? reason : reason + "; " + waiting);
  }
  if (by_quota) {
    return cause_of(BottleneckClass::kQuotaBound, "quota", waiting);
  }
  if (!waiting.empty()) {
    return cause_of(BottleneckClass::kCpuBound, "waiting-for-processors", waiting);
  }
  if (attribution.clock_ns && direction.explains(*attribution.clock_ns)) {
    return cause_of(
        BottleneckClass::kThrottling, "clock",
        fmt::format("the ratio of CPU frequencies foretells {} of the change", direction.share(*attribution.clock_ns)));
  }
  if (attribution.largest_term == ChangeTerm::kCount) {
    return cause_of_count(attribution, direction, test);
  }
  return attribution.largest_term == ChangeTerm::kGap ? cause_of_gap(attribution, direction, baseline, test)
                                                      : cause_of_time(attribution, direction, test);
}

}  // namespace aaco
