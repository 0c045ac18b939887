// SPDX-License-Identifier: MIT
// The switch experiment on timelines whose answer is known.
#include "kind/queue_probe/analysis/switch_cost.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "base/json/json.h"

namespace aaco {
namespace {

constexpr int64_t kOrigin = 1'000'000;
constexpr int64_t kLength = 50'000;
constexpr int kKernels = 21;

// `count` kernels of kLength, round robin over `streams`, each `gap_ns` after the one before.
std::vector<KernelStamp> chain(int32_t streams, int64_t gap_ns, int count = kKernels, int64_t origin_ns = kOrigin) {
  std::vector<KernelStamp> kernels;
  int64_t at_ns = origin_ns;
  for (int32_t i = 0; i < count; ++i) {
    kernels.push_back({at_ns, at_ns + kLength, i % streams});
    at_ns += kLength + gap_ns;
  }
  return kernels;
}

SwitchRepeat repeat(SwitchSide side, int32_t streams, int64_t gap_ns, double wall_excess_ns = 0) {
  SwitchRepeat one{side, chain(streams, gap_ns), 0, false};
  one.wall_ns = static_cast<double>(one.kernels.back().end_ns - one.kernels.front().start_ns) + 9'000 + wall_excess_ns;
  return one;
}

// One, many, many, one: gaps g and g + cost, and a drift of every gap by `drift_ns` from one repeat to the next.
SwitchRun abba(int64_t gap_ns, int64_t cost_ns, int64_t drift_ns = 0, SwitchSide side = SwitchSide::kIndependent) {
  SwitchRun run{4, 1.0, {}};
  int64_t now_ns = gap_ns;
  for (const bool many : {false, true, true, false}) {
    run.repeats.push_back(many ? repeat(side, 4, now_ns + cost_ns) : repeat(SwitchSide::kOneStream, 1, now_ns));
    now_ns += drift_ns;
  }
  return run;
}

std::vector<SwitchRun> three(int64_t a, int64_t b, int64_t c) {
  return {abba(1'000, a), abba(1'100, b), abba(1'200, c)};
}

TEST(SwitchCost, IsTheDifferenceOfMedianGapsOverProcesses) {
  const SwitchCost result = switch_cost(three(700, 800, 900), SwitchSide::kIndependent);
  EXPECT_EQ(*result.cost.value, 800);
  // t(0.975, 2) * 100 / sqrt(3).
  const double half = 4.302652729749 * 100 / std::sqrt(3);
  EXPECT_NEAR(result.cost.interval->low, 800 - half, 1e-6);
  EXPECT_NEAR(result.cost.interval->high, 800 + half, 1e-6);
  EXPECT_EQ(quality_text(result.cost.quality), "measured");
  EXPECT_EQ(*result.one_stream_gap.value, 1'100);
  EXPECT_EQ(*result.switch_gap.value, 1'900);
  EXPECT_EQ(result.kernels, kKernels);
  EXPECT_EQ(result.pairs, 6);
}

// The kernels are as long on both sides, so that the walls differ by 20 times the cost.
TEST(SwitchCost, TheWallClockSaysTheSameWithoutStamps) {
  const SwitchCost result = switch_cost(three(700, 800, 900), SwitchSide::kIndependent);
  EXPECT_EQ(result.process_wall_costs_ns, (std::vector<double>{700, 800, 900}));
  EXPECT_EQ(agreement_text(result.agreement), "agree");
}

TEST(SwitchCost, AWallClockThatSaysOtherwiseIsNamed) {
  std::vector<SwitchRun> runs = three(700, 800, 900);
  for (SwitchRun& run : runs) {
    for (SwitchRepeat& one : run.repeats) {
      one.wall_ns += one.side == SwitchSide::kIndependent ? 20 * 5'000 : 0;
    }
  }
  const SwitchCost result = switch_cost(runs, SwitchSide::kIndependent);
  EXPECT_EQ(*result.wall_cost.value, 5'800);
  EXPECT_TRUE(agreement_text(result.agreement).starts_with("disagree")) << agreement_text(result.agreement);
  // One process only is off: that decides nothing.
  runs = three(700, 800, 900);
  runs[0].repeats[1].wall_ns += 20 * 50'000;
  runs[0].repeats[2].wall_ns += 20 * 50'000;
  const std::string open = agreement_text(switch_cost(runs, SwitchSide::kIndependent).agreement);
  EXPECT_TRUE(open.starts_with("not shown")) << open;
}

TEST(SwitchCost, NegativeCostsAreKept) {
  const SwitchCost result = switch_cost(three(-1'500, -1'400, -1'300), SwitchSide::kIndependent);
  EXPECT_EQ(*result.cost.value, -1'400);
  EXPECT_LT(result.cost.interval->high, 0);
  EXPECT_EQ(*result.switch_gap.value, -300) << "stragglers of the kernel before, no co-residence";
}

constexpr int kUnits = 4;
constexpr int64_t kUnevenness = 400;

// What a kernel of `blocks` (start, end; a block on each unit) leaves.
KernelStamp stamp_of(const std::vector<std::pair<int64_t, int64_t>>& blocks, int32_t stream) {
  KernelStamp kernel{blocks.front().first, blocks.front().second, stream};
  for (const auto& [start_ns, end_ns] : blocks) {
    kernel.start_ns = std::min(kernel.start_ns, start_ns);
    kernel.end_ns = std::max(kernel.end_ns, end_ns);
  }
  for (const auto& [start_ns, end_ns] : blocks) {
    kernel.start_lag_ns += static_cast<double>(start_ns - kernel.start_ns) / kUnits;
    kernel.end_lead_ns += static_cast<double>(kernel.end_ns - end_ns) / kUnits;
  }
  return kernel;
}

// Kernels of several lengths on four units, of which another one is slow each time: unit u takes ((n + u) % 4) times
// kUnevenness longer. With `barrier` a kernel begins on all units gap_ns after the one before has ended on all; else on
// each gap_ns after its own block has ended.
SwitchRepeat uneven(SwitchSide side, int32_t streams, int64_t gap_ns, bool barrier) {
  SwitchRepeat one{side, {}, 9'000, false};
  std::vector<std::pair<int64_t, int64_t>> blocks(kUnits, {kOrigin, kOrigin - gap_ns});
  for (int32_t n = 0; n < kKernels; ++n) {
    const int64_t all_ended_ns = std::max_element(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) {
                                   return a.second < b.second;
                                 })->second;
    for (int32_t u = 0; u < kUnits; ++u) {
      auto& [start_ns, end_ns] = blocks[u];
      start_ns = (barrier ? all_ended_ns : end_ns) + gap_ns;
      end_ns = start_ns + kLength + int64_t{3'000} * (n % 3) + kUnevenness * ((n + u) % kUnits);
    }
    one.kernels.push_back(stamp_of(blocks, n % streams));
  }
  one.wall_ns += static_cast<double>(one.kernels.back().end_ns - one.kernels.front().start_ns);
  return one;
}

// One stream, a barrier: a unit waits 1000 ns and on average 1.5 of kUnevenness for the slowest, 1600 ns. Several, no
// barrier: 500 ns. Both walls have the kernels' lengths; of the unevenness the first has 3 a kernel, 63, the other
// 5 * 6 of twenty kernels and 3 of the last, 33: it is shorter by 30 * 400 + 20 * 500 ns, 1100 ns a switch.
// First starts and last ends see another thing: 1000 ns before, and after it an overlap: of the spread of ends, 3, 4, 3
// and 0 times kUnevenness in turn, less 500 ns.
TEST(SwitchCost, BlocksThatBeginUnderTheKernelBeforeAreNoGain) {
  SwitchRun run{4, 1.0, {}};
  for (const bool many : {false, true, true, false}) {
    run.repeats.push_back(many ? uneven(SwitchSide::kIndependent, 4, 500, false)
                               : uneven(SwitchSide::kOneStream, 1, 1'000, true));
  }
  const SwitchCost result = switch_cost(std::vector<SwitchRun>(3, run), SwitchSide::kIndependent);
  EXPECT_DOUBLE_EQ(*result.one_stream_gap.value, 1'600);
  EXPECT_DOUBLE_EQ(*result.switch_gap.value, 500);
  EXPECT_DOUBLE_EQ(*result.cost.value, -1'100);
  EXPECT_DOUBLE_EQ(*result.mean_cost.value, -1'100);
  EXPECT_DOUBLE_EQ(*result.wall_cost.value, -1'100);
  EXPECT_EQ(agreement_text(result.agreement), "agree");
  EXPECT_DOUBLE_EQ(*result.one_stream_overlap.value, -1'000);
  EXPECT_DOUBLE_EQ(*result.switch_overlap.value, 3 * kUnevenness - 500);
}

TEST(StampGaps, DurationsAndGapsAddUpToTheSpan) {
  for (const bool barrier : {false, true}) {
    const std::vector<KernelStamp> kernels = uneven(SwitchSide::kIndependent, 4, 500, barrier).kernels;
    double total_ns = 0;
    for (const KernelStamp& kernel : kernels) {
      total_ns += static_cast<double>(kernel.end_ns - kernel.start_ns) - kernel.start_lag_ns - kernel.end_lead_ns;
    }
    for (const StampGap& gap : stamp_gaps(kernels)) {
      total_ns += gap.gap_ns;
    }
    EXPECT_DOUBLE_EQ(total_ns, static_cast<double>(kernels.back().end_ns - kernels.front().start_ns) -
                                   kernels.front().start_lag_ns - kernels.back().end_lead_ns);
  }
}

// Every tenth hand-over is 2000 ns longer: the median does not see it, the mean does, and so does the wall.
TEST(SwitchCost, FewLongHandOversAreInTheMeanAndTheWall) {
  std::vector<SwitchRun> runs = three(700, 700, 700);
  for (SwitchRun& run : runs) {
    for (SwitchRepeat& one : run.repeats) {
      for (size_t at = 10; one.side == SwitchSide::kIndependent && at <= 20; at += 10) {
        for (size_t i = at; i < one.kernels.size(); ++i) {
          one.kernels[i].start_ns += 2'000;
          one.kernels[i].end_ns += 2'000;
        }
        one.wall_ns += 2'000;
      }
    }
  }
  const SwitchCost result = switch_cost(runs, SwitchSide::kIndependent);
  EXPECT_DOUBLE_EQ(*result.cost.value, 700);
  EXPECT_DOUBLE_EQ(*result.mean_cost.value, 900);
  EXPECT_DOUBLE_EQ(*result.wall_cost.value, 900);
  EXPECT_EQ(agreement_text(result.agreement), "agree");
}

TEST(SwitchCost, ALinearDriftCancelsInAbba) {
  const std::vector<SwitchRun> runs{abba(1'000, 800, 300), abba(1'000, 800, -200), abba(1'000, 800, 50)};
  const SwitchCost result = switch_cost(runs, SwitchSide::kIndependent);
  EXPECT_EQ(result.process_costs_ns, (std::vector<double>{800, 800, 800}));
}

TEST(SwitchCost, FewerThanThreeProcessesAreInconclusive) {
  const std::vector<SwitchRun> runs{abba(1'000, 700), abba(1'000, 900)};
  const SwitchCost result = switch_cost(runs, SwitchSide::kIndependent);
  EXPECT_EQ(*result.cost.value, 800);
  EXPECT_FALSE(result.cost.interval);
  EXPECT_EQ(quality_text(result.cost.quality), "inconclusive: needs 3 processes, has 2");
  EXPECT_EQ(agreement_text(result.agreement), "not shown: needs 3 processes, has 2");
  EXPECT_EQ(quality_text(switch_cost({}, SwitchSide::kIndependent).cost.quality), "no data: no process measured it");
}

TEST(SwitchCost, IndependentAndHandOffAreTwoFigures) {
  std::vector<SwitchRun> runs = three(700, 800, 900);
  for (SwitchRun& run : runs) {
    const SwitchRun hand_off = abba(1'000, 3'000, 0, SwitchSide::kHandOff);
    run.repeats.insert(run.repeats.begin() + 2, hand_off.repeats[1]);
    run.repeats.insert(run.repeats.begin() + 2, hand_off.repeats[2]);
  }
  EXPECT_EQ(*switch_cost(runs, SwitchSide::kIndependent).cost.value, 800);
  const SwitchCost hand_off = switch_cost(runs, SwitchSide::kHandOff);
  EXPECT_EQ(hand_off.cost.id, "hand_off_cost");
  EXPECT_EQ(*hand_off.switch_gap.value, 4'000);
}

void expect_invalid(const std::vector<SwitchRun>& runs, SwitchSide side, const std::string& words) {
  const SwitchCost result = switch_cost(runs, side);
  for (const MetricValue* figure : {&result.cost, &result.mean_cost, &result.wall_cost, &result.switch_gap,
                                    &result.one_stream_gap, &result.switch_overlap, &result.one_stream_overlap}) {
    EXPECT_FALSE(figure->value) << figure->id;
    EXPECT_TRUE(quality_text(figure->quality).starts_with("invalid: ")) << quality_text(figure->quality);
    EXPECT_NE(quality_text(figure->quality).find(words), std::string::npos) << quality_text(figure->quality);
  }
  EXPECT_TRUE(result.process_costs_ns.empty());
}

TEST(SwitchCost, CoResidentKernelsMakeItInvalid) {
  std::vector<SwitchRun> runs = three(700, 800, 900);
  runs[1].repeats[2].kernels = chain(4, -kLength / 2);  // each begins halfway through the one before
  expect_invalid(runs, SwitchSide::kIndependent, "process 2, repeat 3: kernels overlapped: 20 of 21");
  // A kernel that runs through several others, its direct neighbour among them.
  runs = three(700, 800, 900);
  runs[0].repeats[1].kernels[3].end_ns += 10 * kLength;
  expect_invalid(runs, SwitchSide::kIndependent, "kernels overlapped");
}

// Streams may be taken in another order than they were filled; a chain by events and one stream may not.
TEST(SwitchCost, OrderBindsWhereSomethingOrders) {
  std::vector<SwitchRun> runs = three(700, 800, 900);
  for (SwitchRun& run : runs) {
    std::swap(run.repeats[1].kernels[0].start_ns, run.repeats[1].kernels[1].start_ns);
    std::swap(run.repeats[1].kernels[0].end_ns, run.repeats[1].kernels[1].end_ns);
  }
  const SwitchCost result = switch_cost(runs, SwitchSide::kIndependent);
  EXPECT_EQ(*result.cost.value, 800);
  EXPECT_EQ(result.reordered, 3);
  runs = {abba(1'000, 700, 0, SwitchSide::kHandOff)};
  std::swap(runs[0].repeats[1].kernels[0].start_ns, runs[0].repeats[1].kernels[1].start_ns);
  std::swap(runs[0].repeats[1].kernels[0].end_ns, runs[0].repeats[1].kernels[1].end_ns);
  expect_invalid(runs, SwitchSide::kHandOff, "kernels came out of order: number 2 began before number 1");
  runs = three(700, 800, 900);
  std::swap(runs[2].repeats[1].kernels[0], runs[2].repeats[1].kernels[4]);  // of one stream
  expect_invalid(runs, SwitchSide::kIndependent, "kernels came out of order");
}

TEST(SwitchCost, WhatIsMissingIsNamed) {
  std::vector<SwitchRun> runs = three(700, 800, 900);
  runs[0].repeats[0].kernels[6] = {-1, 0, 0};
  expect_invalid(runs, SwitchSide::kIndependent, "kernel 7 of 21 left no time stamp");
  runs = three(700, 800, 900);
  std::swap(runs[0].repeats[0].kernels[6].start_ns, runs[0].repeats[0].kernels[6].end_ns);
  expect_invalid(runs, SwitchSide::kIndependent, "kernel 7 of 21 ends before it begins");
  runs = three(700, 800, 900);
  runs[0].repeats[0].kernels[6].start_lag_ns = kLength + 1;  // sums that do not belong to the stamp
  expect_invalid(runs, SwitchSide::kIndependent, "kernel 7 of 21: the mean of its blocks' times lies outside of it");
  runs = three(700, 800, 900);
  runs[0].repeats[3].gate_timed_out = true;
  expect_invalid(runs, SwitchSide::kIndependent, "process 1, repeat 4: the gate opened by itself");
  runs = three(700, 800, 900);
  runs[2].repeats.pop_back();
  expect_invalid(runs, SwitchSide::kIndependent, "1 repeats on one stream against 2");
  runs = three(700, 800, 900);
  runs[2].repeats[0].kernels.pop_back();
  expect_invalid(runs, SwitchSide::kIndependent, "kernels, others");
  runs = three(700, 800, 900);
  runs[2].streams = 8;
  expect_invalid(runs, SwitchSide::kIndependent, "another number of streams");
  runs = three(700, 800, 900);
  runs[1].repeats[1].kernels = chain(1, 1'000);
  expect_invalid(runs, SwitchSide::kIndependent, "no hand-over changed the stream");
}

// Only 10 of the 20 hand-overs change the stream: the wall's excess is theirs.
TEST(SwitchCost, TheWallIsSharedByTheSwitchesThatWere) {
  std::vector<SwitchRun> runs = three(0, 0, 0);
  for (SwitchRun& run : runs) {
    for (SwitchRepeat& one : run.repeats) {
      if (one.side == SwitchSide::kIndependent) {
        for (size_t i = 0; i < one.kernels.size(); ++i) {
          one.kernels[i].stream = static_cast<int32_t>((i + 1) / 2);
        }
        one.wall_ns += 10 * 400;
      }
    }
  }
  EXPECT_EQ(*switch_cost(runs, SwitchSide::kIndependent).wall_cost.value, 400);
}

TEST(SwitchCost, AClockThatIsTooCoarseIsSaid) {
  std::vector<SwitchRun> runs = three(700, 800, 900);
  runs[2].clock_step_ns = 1'024;
  const SwitchCost coarse = switch_cost(runs, SwitchSide::kIndependent);
  EXPECT_EQ(*coarse.clock_step_ns, 1'024);
  EXPECT_EQ(quality_text(coarse.cost.quality), "suspect: smaller than the step of the device's clock, 1024 ns");
  EXPECT_FALSE(usable(coarse.cost));
  runs[1].clock_step_ns.reset();
  const SwitchCost unknown = switch_cost(runs, SwitchSide::kIndependent);
  EXPECT_FALSE(unknown.clock_step_ns);
  EXPECT_EQ(quality_text(unknown.cost.quality), "suspect: the step of the device's clock was not measured");
}

// Moving the origin changes nothing; stretching time stretches every figure.
TEST(SwitchCost, OriginAndScaleOfTime) {
  const std::vector<SwitchRun> runs = three(700, 800, 900);
  std::vector<SwitchRun> moved = runs;
  std::vector<SwitchRun> stretched = runs;
  for (size_t i = 0; i < runs.size(); ++i) {
    for (size_t j = 0; j < runs[i].repeats.size(); ++j) {
      for (size_t k = 0; k < runs[i].repeats[j].kernels.size(); ++k) {
        moved[i].repeats[j].kernels[k].start_ns += 123'456'789;
        moved[i].repeats[j].kernels[k].end_ns += 123'456'789;
        stretched[i].repeats[j].kernels[k].start_ns *= 3;
        stretched[i].repeats[j].kernels[k].end_ns *= 3;
      }
      stretched[i].repeats[j].wall_ns *= 3;
    }
  }
  const SwitchCost result = switch_cost(runs, SwitchSide::kIndependent);
  EXPECT_EQ(Json(switch_cost(moved, SwitchSide::kIndependent)), Json(result));
  const SwitchCost tripled = switch_cost(stretched, SwitchSide::kIndependent);
  EXPECT_DOUBLE_EQ(*tripled.cost.value, 3 * *result.cost.value);
  EXPECT_DOUBLE_EQ(*tripled.wall_cost.value, 3 * *result.wall_cost.value);
}

TEST(SwitchCost, JsonKeepsRunsAndResults) {
  const std::vector<SwitchRun> runs = three(700, 800, 900);
  const auto again = Json(runs).get<std::vector<SwitchRun>>();
  const SwitchCost result = switch_cost(runs, SwitchSide::kIndependent);
  EXPECT_EQ(Json(switch_cost(again, SwitchSide::kIndependent)), Json(result));
  EXPECT_EQ(Json(Json(result).get<SwitchCost>()), Json(result));
}

// Of a clock that steps by 32, lengths that differ show the step.
TEST(ClockStep, IsTheSmallestDifference) {
  std::vector<KernelStamp> kernels;
  for (int64_t i = 0; i < 50; ++i) {
    const int64_t start_ns = i * 100'000 / 32 * 32;
    kernels.push_back({start_ns, start_ns + (1'000 + 7 * i) / 32 * 32, 0});
  }
  EXPECT_EQ(clock_step_ns(kernels), 32);
  EXPECT_FALSE(clock_step_ns({}));
  const std::vector<KernelStamp> frozen(3, KernelStamp{64, 64, 0});
  EXPECT_FALSE(clock_step_ns(frozen)) << "a clock that never moves has no step";
}

}  // namespace
}  // namespace aaco
