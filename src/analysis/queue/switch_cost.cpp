// SPDX-License-Identifier: MIT
#include "analysis/queue/switch_cost.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "analysis/queue/signed_figure.h"

namespace aaco {

namespace {

struct Ids {
  const char* one_stream_gap;
  const char* switch_gap;
  const char* cost;
  const char* wall_cost;
};
constexpr Ids kIndependentIds{"one_stream_gap", "independent_switch_gap", "independent_switch_cost",
                              "independent_switch_wall_cost"};
constexpr Ids kHandOffIds{"one_stream_gap", "hand_off_gap", "hand_off_cost", "hand_off_wall_cost"};

// What one process gives.
struct ProcessSides {
  std::vector<double> one_gaps, many_gaps, one_walls, many_walls;  // by repeat
  std::vector<double> switches;                                    // of each repeat on many streams
};

// Of the gaps that count for the side; none where the repeat has none.
std::optional<double> median_gap(const std::vector<StampGap>& gaps, bool other_stream) {
  std::vector<double> counted;
  for (const StampGap& gap : gaps) {
    if (gap.other_stream == other_stream) {
      counted.push_back(gap.gap_ns);
    }
  }
  return median(counted);
}

std::string add_repeat(const SwitchRepeat& repeat, ProcessSides& sides) {
  if (repeat.gate_timed_out) {
    return "the gate opened by itself before all was enqueued";
  }
  if (std::string problem = chain_problem(repeat.kernels, repeat.side != SwitchSide::kIndependent); !problem.empty()) {
    return problem;
  }
  const bool many = repeat.side != SwitchSide::kOneStream;
  const std::vector<StampGap> gaps = stamp_gaps(repeat.kernels);
  const auto gap = median_gap(gaps, many);
  if (!gap) {
    return many ? "no hand-over changed the stream" : "the kernels of one stream are of several";
  }
  (many ? sides.many_gaps : sides.one_gaps).push_back(*gap);
  (many ? sides.many_walls : sides.one_walls).push_back(repeat.wall_ns);
  if (many) {
    sides.switches.push_back(static_cast<double>(
        std::count_if(gaps.begin(), gaps.end(), [](const StampGap& each) { return each.other_stream; })));
  }
  return "";
}

// Reads one process; the reason where it cannot be used.
std::string sides_of(const SwitchRun& run, SwitchSide side, SwitchCost& result, ProcessSides& sides) {
  for (size_t i = 0; i < run.repeats.size(); ++i) {
    const SwitchRepeat& repeat = run.repeats[i];
    if (repeat.side != SwitchSide::kOneStream && repeat.side != side) {
      continue;
    }
    if (std::string problem = add_repeat(repeat, sides); !problem.empty()) {
      return fmt::format("repeat {}: {}", i + 1, problem);
    }
    const auto kernels = static_cast<int64_t>(repeat.kernels.size());
    if (result.kernels != 0 && result.kernels != kernels) {
      return fmt::format("repeat {} has {} kernels, others {}", i + 1, kernels, result.kernels);
    }
    result.kernels = kernels;
    if (repeat.side == side) {
      result.reordered += reordered_kernels(repeat.kernels);
    }
  }
  if (sides.one_gaps.size() != sides.many_gaps.size() || sides.one_gaps.empty()) {
    return fmt::format("{} repeats on one stream against {} on several are no pairs", sides.one_gaps.size(),
                       sides.many_gaps.size());
  }
  return "";
}

double wall_difference(const ProcessSides& sides) {
  std::vector<double> per_switch;
  for (size_t i = 0; i < sides.many_walls.size(); ++i) {
    per_switch.push_back((sides.many_walls[i] - sides.one_walls[i]) / sides.switches[i]);
  }
  return *median(per_switch);
}

std::string agreement_of(const SwitchCost& result) {
  if (result.process_costs_ns.size() < kLeastProcesses) {
    return fmt::format("not shown: needs {} processes, has {}", kLeastProcesses, result.process_costs_ns.size());
  }
  std::vector<double> differences;
  for (size_t i = 0; i < result.process_costs_ns.size(); ++i) {
    differences.push_back(result.process_wall_costs_ns[i] - result.process_costs_ns[i]);
  }
  const auto n = static_cast<double>(differences.size());
  const double centre = *mean(differences);
  const double error = *standard_deviation(differences) / std::sqrt(n);
  const double margin =
      std::max(result.clock_step_ns.value_or(0),
               kWallMargin * std::max(std::abs(*result.cost.value), std::abs(*result.wall_cost.value)));
  if (std::abs(centre) + student_t_quantile(0.95, n - 1) * error <= margin) {
    return "agree";
  }
  if (std::abs(centre) - student_t_quantile(0.975, n - 1) * error > margin) {
    return fmt::format("disagree: the wall clock says {:.0f} ns more a switch, {:.0f} are allowed", centre, margin);
  }
  return fmt::format("not shown: they differ by {:.0f} ns a switch, with an error of {:.0f}", centre, error);
}

// What the clock cannot resolve is said beside the figure.
void judge_resolution(const std::optional<double>& step, MetricValue& figure) {
  const std::string before = figure.quality == "measured" ? "" : "; " + figure.quality;
  if (!step) {
    figure.quality = "suspect: the step of the device's clock was not measured" + before;
  } else if (figure.value && std::abs(*figure.value) < *step) {
    figure.quality = fmt::format("suspect: smaller than the step of the device's clock, {:.0f} ns{}", *step, before);
  }
}

void invalidate(const Ids& ids, const std::string& reason, SwitchCost& result) {
  result.one_stream_gap = invalid(ids.one_stream_gap, reason);
  result.switch_gap = invalid(ids.switch_gap, reason);
  result.cost = invalid(ids.cost, reason);
  result.wall_cost = invalid(ids.wall_cost, reason);
  result.agreement = "not shown: invalid";
  result.process_costs_ns.clear();
  result.process_wall_costs_ns.clear();
}

}  // namespace

SwitchCost switch_cost(std::span<const SwitchRun> processes, SwitchSide side) {
  const Ids& ids = side == SwitchSide::kHandOff ? kHandOffIds : kIndependentIds;
  SwitchCost result;
  result.processes = static_cast<int64_t>(processes.size());
  std::vector<double> one_gaps;
  std::vector<double> many_gaps;
  bool steps_known = true;
  for (size_t i = 0; i < processes.size(); ++i) {
    const SwitchRun& run = processes[i];
    ProcessSides sides;
    std::string problem = i > 0 && run.streams != result.streams ? "another number of streams" : "";
    result.streams = run.streams;
    problem = problem.empty() ? sides_of(run, side, result, sides) : problem;
    if (!problem.empty()) {
      invalidate(ids, fmt::format("process {}, {}", i + 1, problem), result);
      return result;
    }
    steps_known = steps_known && run.clock_step_ns;
    result.clock_step_ns = std::max(result.clock_step_ns, run.clock_step_ns);
    result.pairs += static_cast<int64_t>(sides.one_gaps.size());
    one_gaps.push_back(*median(sides.one_gaps));
    many_gaps.push_back(*median(sides.many_gaps));
    result.process_costs_ns.push_back(*paired_median_difference(sides.one_gaps, sides.many_gaps));
    result.process_wall_costs_ns.push_back(wall_difference(sides));
  }
  result.one_stream_gap = figure_over_processes(ids.one_stream_gap, one_gaps);
  result.switch_gap = figure_over_processes(ids.switch_gap, many_gaps);
  result.cost = figure_over_processes(ids.cost, result.process_costs_ns);
  result.wall_cost = figure_over_processes(ids.wall_cost, result.process_wall_costs_ns);
  if (!steps_known) {
    result.clock_step_ns.reset();
  }
  if (result.cost.value) {
    judge_resolution(result.clock_step_ns, result.cost);
  }
  result.agreement = agreement_of(result);
  return result;
}

AACO_JSON_FIELDS(SwitchRepeat, side, kernels, wall_ns, gate_timed_out)
AACO_JSON_FIELDS(SwitchRun, streams, clock_step_ns, repeats)
AACO_JSON_FIELDS(SwitchCost, streams, kernels, processes, pairs, clock_step_ns, one_stream_gap, switch_gap, cost,
                 wall_cost, agreement, reordered, process_costs_ns, process_wall_costs_ns)

}  // namespace aaco
