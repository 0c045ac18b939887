// SPDX-License-Identifier: MIT
#include "kind/queue_probe/analysis/switch_cost.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "kind/queue_run/analysis/signed_figure.h"

namespace aaco {

namespace {

struct Ids {
  const char* one_stream_gap;
  const char* switch_gap;
  const char* one_stream_overlap;
  const char* switch_overlap;
  const char* cost;
  const char* mean_cost;
  const char* wall_cost;
};
constexpr Ids kIndependentIds{"one_stream_gap",
                              "independent_switch_gap",
                              "one_stream_overlap",
                              "independent_switch_overlap",
                              "independent_switch_cost",
                              "independent_switch_mean_cost",
                              "independent_switch_wall_cost"};
constexpr Ids kHandOffIds{"one_stream_gap", "hand_off_gap",       "one_stream_overlap", "hand_off_overlap",
                          "hand_off_cost",  "hand_off_mean_cost", "hand_off_wall_cost"};

// Of one process, by repeat.
struct ProcessSide {
  std::vector<double> gaps, overlaps;  // medians
  std::vector<double> gap_sums, walls;
  std::vector<double> counted;  // hand-overs that the side is about
};

struct ProcessSides {
  ProcessSide one, many;
};

// Reads the hand-overs that count for the side; false where there are none.
bool add_gaps(const std::vector<StampGap>& gaps, bool other_stream, ProcessSide& side) {
  std::vector<double> counted;
  std::vector<double> overlaps;
  double sum = 0;
  for (const StampGap& gap : gaps) {
    sum += gap.gap_ns;
    if (gap.other_stream == other_stream) {
      counted.push_back(gap.gap_ns);
      overlaps.push_back(gap.overlap_ns);
    }
  }
  if (counted.empty()) {
    return false;
  }
  side.gaps.push_back(*median(counted));
  side.overlaps.push_back(*median(overlaps));
  side.gap_sums.push_back(sum);
  side.counted.push_back(static_cast<double>(counted.size()));
  return true;
}

std::string add_repeat(const SwitchRepeat& repeat, ProcessSides& sides) {
  if (repeat.gate_timed_out) {
    return "the gate opened by itself before all was enqueued";
  }
  if (std::string problem = chain_problem(repeat.kernels, repeat.side != SwitchSide::kIndependent); !problem.empty()) {
    return problem;
  }
  const bool many = repeat.side != SwitchSide::kOneStream;
  ProcessSide& side = many ? sides.many : sides.one;
  if (!add_gaps(stamp_gaps(repeat.kernels), many, side)) {
    return many ? "no hand-over changed the stream" : "the kernels of one stream are of several";
  }
  side.walls.push_back(repeat.wall_ns);
  return "";
}

struct PerProcess {
  std::vector<double> one_gaps, many_gaps, one_overlaps, many_overlaps;

  void add(const ProcessSides& sides) {
    one_gaps.push_back(*median(sides.one.gaps));
    many_gaps.push_back(*median(sides.many.gaps));
    one_overlaps.push_back(*median(sides.one.overlaps));
    many_overlaps.push_back(*median(sides.many.overlaps));
  }
};

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
  if (sides.one.gaps.size() != sides.many.gaps.size() || sides.one.gaps.empty()) {
    return fmt::format("{} repeats on one stream against {} on several are no pairs", sides.one.gaps.size(),
                       sides.many.gaps.size());
  }
  return "";
}

// Of a whole chain's time, by the hand-overs that changed the stream.
double difference_per_switch(const ProcessSides& sides, std::vector<double> ProcessSide::* time) {
  std::vector<double> per_switch;
  for (size_t i = 0; i < sides.many.counted.size(); ++i) {
    per_switch.push_back(((sides.many.*time)[i] - (sides.one.*time)[i]) / sides.many.counted[i]);
  }
  return *median(per_switch);
}

Agreement agreement_of(const SwitchCost& result) {
  if (result.process_mean_costs_ns.size() < kLeastProcesses) {
    return {AgreementKind::kNotShown,
            fmt::format("needs {} processes, has {}", kLeastProcesses, result.process_mean_costs_ns.size())};
  }
  std::vector<double> differences;
  for (size_t i = 0; i < result.process_mean_costs_ns.size(); ++i) {
    differences.push_back(result.process_wall_costs_ns[i] - result.process_mean_costs_ns[i]);
  }
  const auto n = static_cast<double>(differences.size());
  const double centre = *mean(differences);
  const double error = *standard_deviation(differences) / std::sqrt(n);
  const double margin =
      std::max(result.clock_step_ns.value_or(0),
               kWallMargin * std::max(std::abs(*result.mean_cost.value), std::abs(*result.wall_cost.value)));
  if (std::abs(centre) + student_t_quantile(0.95, n - 1) * error <= margin) {
    return {AgreementKind::kAgree, ""};
  }
  if (std::abs(centre) - student_t_quantile(0.975, n - 1) * error > margin) {
    return {AgreementKind::kDisagree,
            fmt::format("the wall clock says {:.0f} ns more a switch, {:.0f} are allowed", centre, margin)};
  }
  return {AgreementKind::kNotShown,
          fmt::format("they differ by {:.0f} ns a switch, with an error of {:.0f}", centre, error)};
}

// What the clock cannot resolve is said beside the figure.
void judge_resolution(const std::optional<double>& step, MetricValue& figure) {
  const std::string before = is_plain(figure.quality) ? "" : "; " + quality_text(figure.quality);
  if (!step) {
    figure.quality = {QualityKind::kSuspect, "the step of the device's clock was not measured" + before};
  } else if (figure.value && std::abs(*figure.value) < *step) {
    figure.quality = {QualityKind::kSuspect,
                      fmt::format("smaller than the step of the device's clock, {:.0f} ns{}", *step, before)};
  }
}

void invalidate(const Ids& ids, const std::string& reason, SwitchCost& result) {
  result.one_stream_gap = invalid(ids.one_stream_gap, reason);
  result.switch_gap = invalid(ids.switch_gap, reason);
  result.one_stream_overlap = invalid(ids.one_stream_overlap, reason);
  result.switch_overlap = invalid(ids.switch_overlap, reason);
  result.cost = invalid(ids.cost, reason);
  result.mean_cost = invalid(ids.mean_cost, reason);
  result.wall_cost = invalid(ids.wall_cost, reason);
  result.agreement = {AgreementKind::kNotShown, quality_kind_name(QualityKind::kInvalid)};
  result.process_costs_ns.clear();
  result.process_mean_costs_ns.clear();
  result.process_wall_costs_ns.clear();
}

}  // namespace

SwitchCost switch_cost(std::span<const SwitchRun> processes, SwitchSide side) {
  const Ids& ids = side == SwitchSide::kHandOff ? kHandOffIds : kIndependentIds;
  SwitchCost result;
  result.processes = static_cast<int64_t>(processes.size());
  PerProcess values;
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
    result.pairs += static_cast<int64_t>(sides.one.gaps.size());
    values.add(sides);
    result.process_costs_ns.push_back(*paired_median_difference(sides.one.gaps, sides.many.gaps));
    result.process_mean_costs_ns.push_back(difference_per_switch(sides, &ProcessSide::gap_sums));
    result.process_wall_costs_ns.push_back(difference_per_switch(sides, &ProcessSide::walls));
  }
  result.one_stream_gap = figure_over_processes(ids.one_stream_gap, values.one_gaps);
  result.switch_gap = figure_over_processes(ids.switch_gap, values.many_gaps);
  result.one_stream_overlap = figure_over_processes(ids.one_stream_overlap, values.one_overlaps);
  result.switch_overlap = figure_over_processes(ids.switch_overlap, values.many_overlaps);
  result.cost = figure_over_processes(ids.cost, result.process_costs_ns);
  result.mean_cost = figure_over_processes(ids.mean_cost, result.process_mean_costs_ns);
  result.wall_cost = figure_over_processes(ids.wall_cost, result.process_wall_costs_ns);
  if (!steps_known) {
    result.clock_step_ns.reset();
  }
  if (result.cost.value) {
    judge_resolution(result.clock_step_ns, result.cost);
    judge_resolution(result.clock_step_ns, result.mean_cost);
  }
  result.agreement = agreement_of(result);
  return result;
}

}  // namespace aaco
