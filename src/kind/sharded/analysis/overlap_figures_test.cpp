// SPDX-License-Identifier: MIT
#include "kind/sharded/analysis/overlap_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/json.h"
#include "kind/sharded/analysis/overlap_causes.h"
#include "kind/sharded/analysis/sharded_document.h"
#include "kind/sharded/analysis/test_steps.h"

namespace aaco {
namespace {

OverlapFigures figures_of(const TestSteps& overlapped, const TestSteps* alone = nullptr) {
  const auto figures = overlap_figures({overlapped.table(), 2, alone == nullptr ? nullptr : &alone->table(), 2, 0, {}});
  EXPECT_TRUE(figures) << figures.error().message;
  return figures ? *figures : OverlapFigures();
}

TEST(OverlapFigures, EveryNanosecondOfAStepIsInOneClass) {
  const OverlapFigures figures = figures_of(two_steps());
  ASSERT_EQ(figures.rank_steps.size(), 4);
  const StepShares& first = figures.rank_steps[0].shares;  // rank 0
  EXPECT_EQ(first.window_ns, 300);
  EXPECT_EQ(first.computation_ns, 210);
  EXPECT_EQ(first.exposed_communication_ns, 20 + 60);  // [100, 120), [200, 260)
  EXPECT_EQ(first.communication_ns, 160);
  EXPECT_EQ(first.hidden_communication_ns, 80);
  EXPECT_EQ(first.exposed_copy_ns, 0);
  EXPECT_EQ(first.idle_ns, 10);
  EXPECT_DOUBLE_EQ(*first.communication_hidden(), 0.5);
  EXPECT_DOUBLE_EQ(*first.computation_overlapped(), 80.0 / 210);
  const StepShares& second = figures.rank_steps[1].shares;  // it begins with the end of the first
  EXPECT_EQ(figures.rank_steps[1].step, 1);
  EXPECT_EQ(second.window_ns, 1000);
  EXPECT_EQ(second.idle_ns, 710);
  EXPECT_EQ(second.computation_ns, 210);
  for (const RankStep& step : figures.rank_steps) {
    const StepShares& shares = step.shares;
    EXPECT_EQ(shares.computation_ns + shares.exposed_communication_ns + shares.exposed_copy_ns + shares.idle_ns,
              shares.window_ns);
  }
  EXPECT_EQ(figures.median_step_ns, 650);
}

// A batch that arrives beside a [0, 100) and a gather [90, 130): of the copy [60, 150) the last 20 are exposed; b
// begins 10 behind it. In rank 1 a hides all of it.
TEST(OverlapFigures, ACopyIsExposedWhereNothingElseRuns) {
  TestSteps steps;
  for (const int64_t at_ns : {0, 1000}) {
    steps.kernel(0, "a", at_ns, 100);
    steps.gather(0, at_ns + 90, 40);
    steps.copy(0, at_ns + 60, 90);
    steps.kernel(0, "b", at_ns + 160, 40);
    steps.kernel(1, "a", at_ns, 155);
    steps.gather(1, at_ns + 90, 40);
    steps.copy(1, at_ns + 60, 90);
    steps.kernel(1, "b", at_ns + 160, 40);
  }
  const OverlapFigures figures = figures_of(steps);
  ASSERT_EQ(figures.rank_steps.size(), 4);
  const StepShares& shares = figures.rank_steps[0].shares;
  EXPECT_EQ(shares.window_ns, 200);
  EXPECT_EQ(shares.computation_ns, 140);
  EXPECT_EQ(shares.copy_ns, 90);
  EXPECT_EQ(shares.exposed_communication_ns, 30);
  EXPECT_EQ(shares.exposed_copy_ns, 20);
  EXPECT_EQ(shares.idle_ns, 10);
  for (const RankStep& step : figures.rank_steps) {
    EXPECT_EQ(step.shares.exposed_copy_ns, step.rank == 0 ? 20 : 0);
  }
}

TEST(OverlapFigures, TransferIsTheShortestOverRanksAndTheRestIsWaiting) {
  const OverlapFigures figures = figures_of(two_steps());
  ASSERT_EQ(figures.collectives.size(), 2);
  const CollectiveOverlap& reduction = figures.collectives[0];
  EXPECT_EQ(reduction.name, "reduce_scatter");
  EXPECT_EQ(reduction.bytes, 1000);
  EXPECT_EQ(reduction.count, 1);
  EXPECT_EQ(reduction.transfer_ns, 80);
  EXPECT_EQ(reduction.waiting_ns, 10);  // of two ranks, one waits for 20
  EXPECT_EQ(reduction.exposed_ns, 60);
  EXPECT_DOUBLE_EQ(*reduction.algorithm_bandwidth, 12.5);
  EXPECT_DOUBLE_EQ(*reduction.bus_bandwidth, 6.25);
  EXPECT_EQ(figures.collectives[1].transfer_ns, 60);
  EXPECT_EQ(figures.transfer_ns, 140);
  EXPECT_EQ(figures.waiting_ns, 20);
  ASSERT_EQ(figures.ranks.size(), 2);
  EXPECT_EQ(figures.ranks[0].waited_ns, 20);  // for rank 1, in the gather
  EXPECT_EQ(figures.ranks[1].waited_ns, 20);
  EXPECT_EQ(figures.ranks[0].last, 2);  // in the reductions of both steps
  EXPECT_EQ(figures.ranks[1].last, 2);
}

// Each rank is last by 20 ns in one collective of a step.
TEST(OverlapFigures, BetweenNodesALeadBelowTheClocksErrorIsNone) {
  const TestSteps steps = two_steps();
  const auto last_of = [&](const std::vector<RankNode>& nodes) {
    const auto figures = overlap_figures({steps.table(), 2, nullptr, 0, 0, {}, nodes});
    EXPECT_TRUE(figures) << figures.error().message;
    return std::pair(figures->ranks.at(0).last, figures->ranks.at(1).last);
  };
  EXPECT_EQ(last_of({{0, 0}, {1, 19}}), std::pair(int64_t{2}, int64_t{2}));
  EXPECT_EQ(last_of({{0, 0}, {1, 20}}), std::pair(int64_t{0}, int64_t{0}));
  EXPECT_EQ(last_of({{0, 10}, {1, 10}}), std::pair(int64_t{0}, int64_t{0})) << "both are wrong";
  EXPECT_EQ(last_of({{0, 50}, {0, 50}}), std::pair(int64_t{2}, int64_t{2})) << "one clock";
}

// Rank 1's gather ends before rank 0's begins in the first step, and begins after its end in the second: no offset of
// the clocks explains both.
TEST(OverlapFigures, BetweenNodesWhoseClocksDriftNobodyIsLast) {
  TestSteps steps;
  for (const int64_t step : {0, 1}) {
    steps.kernel(0, "a", 1000 * step, 10);
    steps.kernel(1, "a", 1000 * step, 10);
    steps.gather(0, 1000 * step + 200, 50);
    steps.gather(1, 1000 * step + (step == 0 ? 100 : 300), 50);
  }
  const auto lasts = [&](const std::vector<RankNode>& nodes) {
    const auto figures = overlap_figures({steps.table(), 2, nullptr, 0, 0, {}, nodes});
    EXPECT_TRUE(figures) << figures.error().message;
    return figures->ranks.at(0).last + figures->ranks.at(1).last;
  };
  EXPECT_EQ(lasts({{0, 0}, {1, 1}}), 0);
  EXPECT_EQ(lasts({}), 2) << "one clock";
}

// Two groups gather at the same time, one for 60 ns and one for 100: a rank does one gather a step, in 80 ns on
// average.
TEST(OverlapFigures, GroupsOfOneNameCountAsOne) {
  TestSteps steps(4);
  for (const int64_t at_ns : {0, 1000}) {
    for (const int64_t rank : {0, 1, 2, 3}) {
      steps.kernel(rank, "a", at_ns, 10);
      steps.gather(rank, at_ns + 20, rank < 2 ? 60 : 100 + 20 * (rank - 2));
    }
  }
  const OverlapFigures figures = figures_of(steps);
  ASSERT_EQ(figures.collectives.size(), 1);
  EXPECT_EQ(figures.collectives[0].count, 1);
  EXPECT_EQ(figures.collectives[0].transfer_ns, 80);
  EXPECT_EQ(figures.collectives[0].waiting_ns, 5);  // rank 3, 20
  EXPECT_EQ(figures.collectives[0].exposed_ns, (60 + 60 + 100 + 120) / 4.0);
  EXPECT_DOUBLE_EQ(*figures.collectives[0].algorithm_bandwidth, 12.5);
  EXPECT_EQ(figures.transfer_ns, 80);
}

TEST(OverlapFigures, ContentionIsWhatKernelsBesideCommunicationTakeBeyondTheirTimeAlone) {
  const TestSteps alone = steps_alone();
  const OverlapFigures figures = figures_of(two_steps(), &alone);
  ASSERT_TRUE(figures.contention_tax_ns);
  EXPECT_DOUBLE_EQ(*figures.contention_tax_ns, 20);  // a: 10 of rank 0, 30 of rank 1, of 90
  ASSERT_EQ(figures.contention.size(), 2);           // c runs beside nothing
  EXPECT_EQ(figures.contention[0].name, "a");
  EXPECT_DOUBLE_EQ(figures.contention[0].extra_ns, 20);
  EXPECT_DOUBLE_EQ(figures.contention[0].beside, 1);
  EXPECT_EQ(figures.contention[1].name, "b");
  EXPECT_DOUBLE_EQ(figures.contention[1].extra_ns, 0);
}

// Stream 0 does an a of 10 alone and one of 20 in [40, 60), beside the gather; the other stream's a begins before it.
TestSteps steps_of_one_name(int64_t other_stream, bool alone) {
  TestSteps steps;
  for (const int64_t at_ns : {0, 1000}) {
    for (const int64_t rank : {0, 1}) {
      steps.kernel(rank, "a", at_ns + 40, alone ? 10 : 20);
      steps.kernel(rank, "a", at_ns + (alone ? 100 : 0), alone ? 50 : 30, other_stream);
      steps.gather(rank, at_ns + (alone ? 200 : 40), 40);
      steps.kernel(rank, "b", at_ns + (alone ? 300 : 62), alone ? 5 : 8);
    }
  }
  return steps;
}

TEST(OverlapFigures, KernelsOfOneNameOnSeveralStreamsAreComparedByStream) {
  const TestSteps alone = steps_of_one_name(3, true);
  const OverlapFigures figures = figures_of(steps_of_one_name(3, false), &alone);
  ASSERT_EQ(figures.contention.size(), 2);
  EXPECT_EQ(figures.contention[0].name, "a");
  EXPECT_DOUBLE_EQ(figures.contention[0].beside, 1);
  EXPECT_DOUBLE_EQ(figures.contention[0].extra_ns, 10);
  EXPECT_DOUBLE_EQ(figures.contention[1].extra_ns, 3);
  EXPECT_TRUE(figures.unavailable.empty());
}

// As a captured step is recorded.
TEST(OverlapFigures, KernelsOfOneNameOnOtherStreamsAreLeftOutOfContention) {
  const TestSteps alone = steps_of_one_name(3, true);
  const OverlapFigures figures = figures_of(steps_of_one_name(2, false), &alone);
  ASSERT_EQ(figures.contention.size(), 1);
  EXPECT_EQ(figures.contention[0].name, "b");
  EXPECT_DOUBLE_EQ(*figures.contention_tax_ns, 3);
  ASSERT_EQ(figures.unavailable.size(), 1);
  EXPECT_EQ(figures.unavailable[0], "contention of kernels that several streams do, which cannot be told apart: a");
}

TEST(OverlapFigures, ShareOfTheIdealSpeedUp) {
  const TestSteps alone = steps_alone();
  const OverlapFigures figures = figures_of(two_steps(), &alone);
  ASSERT_TRUE(figures.speedup);
  EXPECT_EQ(figures.speedup->serial_ns, 200 + 110);
  EXPECT_EQ(figures.speedup->longest_ns, 200);
  EXPECT_EQ(figures.speedup->overlapped_ns, 650);
  EXPECT_FALSE(figures.speedup->share);  // (310 - 650) / 110
  EXPECT_EQ(figures.speedup->no_share.substr(0, 22), "a step takes 650.0 ns,");
  EXPECT_FALSE(figures_of(two_steps()).speedup);
  EXPECT_EQ(figures_of(two_steps()).unavailable.size(), 1);
}

// Turns of one step each: what lies between them is of no step. Alone, the second is as the first, or all of it is
// slower.
TEST(OverlapFigures, OfTurnsEachStepBeginsWithItsOwnFirstSlice) {
  const TestSteps alone = steps_alone();
  const TestSteps steps = two_steps();
  const std::vector<RecordedTurn> turns{{0, true, 1980, 300}, {0, false, 1980, 300}};
  const auto figures = overlap_figures({steps.table(), 2, &alone.table(), 2, 1, turns});
  ASSERT_TRUE(figures) << figures.error().message;
  for (const RankStep& step : figures->rank_steps) {
    EXPECT_EQ(step.shares.window_ns, 300);
    EXPECT_EQ(step.shares.idle_ns, 10);
  }
  EXPECT_EQ(figures->median_step_ns, 300);
  double idle_ns = 0;
  for (const auto& [cause, ns] : figures->ranks[0].idle_by_cause) {
    idle_ns += ns;
  }
  EXPECT_EQ(idle_ns, 10);
  ASSERT_TRUE(figures->speedup->share);
  EXPECT_DOUBLE_EQ(*figures->speedup->share, (310.0 - 300) / 110);
  EXPECT_FALSE(figures->speedup->share_low);  // of two turns there is no interval
  EXPECT_EQ(figures->turns.size(), 2U);
}

TEST(OverlapFigures, AShareOverPairsOfTurnsHasAnInterval) {
  TestSteps steps;
  TestSteps alone;
  for (const int64_t turn : {0, 1, 2, 3}) {
    const int64_t at_ns = 1000 * turn;
    const int64_t late_ns = 10 * turn;  // shares of 0.8, 0.7, 0.6, 0.5
    for (const int64_t rank : {0, 1}) {
      steps.kernel(rank, "a", at_ns, 200);
      steps.gather(rank, at_ns + 120 + late_ns, 100);
      alone.kernel(rank, "a", at_ns, 200);
      alone.gather(rank, at_ns + 200, 100, 0);
    }
  }
  const auto figures = overlap_figures({steps.table(), 4, &alone.table(), 4, 1, {}});
  ASSERT_TRUE(figures) << figures.error().message;
  ASSERT_TRUE(figures->speedup->share && figures->speedup->share_low);
  EXPECT_DOUBLE_EQ(*figures->speedup->share, 0.65);
  // Deviation 0.1291 of four, Student's 3.1824 of three degrees: 0.2054 to each side.
  EXPECT_NEAR(*figures->speedup->share_low, 0.65 - 0.2054, 1e-4);
  EXPECT_NEAR(*figures->speedup->share_high, 0.65 + 0.2054, 1e-4);
  EXPECT_DOUBLE_EQ(*figures->contention_tax_ns, 0);
}

// Shares of 0.9, 0.9, 0.9 and 0.1. Of all steps together the median step is that of 0.9.
TEST(OverlapFigures, TheShareIsTheMeanOfTheTurnsThatItsIntervalIsOf) {
  TestSteps steps;
  TestSteps alone;
  for (const int64_t turn : {0, 1, 2, 3}) {
    const int64_t at_ns = 1000 * turn;
    for (const int64_t rank : {0, 1}) {
      steps.kernel(rank, "a", at_ns, 200);
      steps.gather(rank, at_ns + (turn == 3 ? 190 : 110), 100);
      alone.kernel(rank, "a", at_ns, 200);
      alone.gather(rank, at_ns + 200, 100, 0);
    }
  }
  const auto figures = overlap_figures({steps.table(), 4, &alone.table(), 4, 1, {}});
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_DOUBLE_EQ(figures->speedup->overlapped_ns, 210);
  ASSERT_TRUE(figures->speedup->share && figures->speedup->share_low);
  EXPECT_DOUBLE_EQ(*figures->speedup->share, 0.7);
  EXPECT_NEAR((*figures->speedup->share_low + *figures->speedup->share_high) / 2, 0.7, 1e-9);
}

// b and c, which run beside nothing, take 30 ns more than alone too: the device was slower, and there is no tax.
TEST(OverlapFigures, WithoutEqualSpeedThereIsNoTaxAndNoShare) {
  TestSteps steps;
  TestSteps alone;
  for (const int64_t at_ns : {0, 1000}) {
    for (const int64_t rank : {0, 1}) {
      steps.kernel(rank, "a", at_ns, 120);
      steps.gather(rank, at_ns, 120);
      steps.kernel(rank, "b", at_ns + 120, 130);
      alone.kernel(rank, "a", at_ns, 100);
      alone.gather(rank, at_ns + 100, 100, 0);
      alone.kernel(rank, "b", at_ns + 200, 100);
    }
  }
  const auto figures = overlap_figures({steps.table(), 2, &alone.table(), 2, 1, {}});
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_EQ(figures->computation_growth_ns, 50);
  EXPECT_FALSE(figures->contention_tax_ns);
  const std::string reason =
      "kernels that ran beside no communication took 30.00 ns more than one by one: the device was slowed down by "
      "something else";
  EXPECT_EQ(figures->no_contention_tax, reason);
  EXPECT_FALSE(figures->speedup->share);
  EXPECT_EQ(figures->speedup->no_share, reason);
}

TEST(OverlapFigures, WithoutCommunicationThereIsNoRatio) {
  TestSteps steps;
  steps.kernel(0, "a", 0, 10);
  steps.kernel(0, "a", 20, 10);
  const OverlapFigures figures = figures_of(steps);
  EXPECT_FALSE(figures.ranks[0].mean.communication_hidden());
  EXPECT_DOUBLE_EQ(*figures.ranks[0].mean.computation_overlapped(), 0);
}

TEST(OverlapFigures, StepsThatAreNotAlikeAreRefused) {
  TestSteps steps = two_steps();
  steps.kernel(1, "d", 1500, 10);
  const auto figures = overlap_figures({steps.table(), 2});
  ASSERT_FALSE(figures);
  EXPECT_EQ(figures.error().message, "rank 1, stream 0: 7 records of 2 steps, which should be alike");
}

// As many records as two steps that are alike would leave.
TEST(OverlapFigures, StepsOfTheSameNumberOfOtherRecordsAreRefused) {
  const auto refusal = [](const TestSteps& steps) {
    const auto figures = overlap_figures({steps.table(), 2});
    EXPECT_FALSE(figures);
    return figures ? std::string() : figures.error().message;
  };
  TestSteps steps;
  int64_t at_ns = 0;
  for (const char* const name : {"a", "c", "a", "b"}) {
    steps.kernel(0, name, at_ns, 10);
    at_ns += 100;
  }
  EXPECT_EQ(refusal(steps), "rank 0: step 2 has 1 of \"b\" more than the first");
  TestSteps kinds;
  kinds.copy(0, 0, 10);
  kinds.kernel(0, "copy", 100, 10, 3);
  EXPECT_EQ(refusal(kinds), "rank 0: step 2 has 1 of \"copy\" more than the first");
}

// Of steps of the same records the category makes one a collective.
TEST(OverlapFigures, EveryStepMustHaveTheSameKernelsForContention) {
  TestTrace same;
  TestTrace other;
  for (TestTrace* const trace : {&same, &other}) {
    const uint32_t stream = trace->stream(0, 0, 0);
    trace->add(stream, EventKind::kKernel, "a", 0, 10);
    trace->add(stream, EventKind::kKernel, "a", 100, 10);
  }
  other.table.category[1] = other.table.strings.intern("collective_comm");
  const auto unavailable = [](const EventTable& overlapped, const EventTable& alone) {
    const auto figures = overlap_figures({overlapped, 2, &alone, 2, 0, {}});
    EXPECT_TRUE(figures) << figures.error().message;
    return figures->unavailable;
  };
  EXPECT_THAT(unavailable(same.table, other.table),
              testing::Contains("contention: rank 0 did 1 kernels in a step, and 0 alone"));
  EXPECT_THAT(unavailable(other.table, same.table),
              testing::Contains("contention: rank 0 did 0 kernels in a step, and 1 alone"));
}

TEST(OverlapFigures, OtherKernelsAloneTellNothingOfContention) {
  TestSteps alone;
  for (const int64_t rank : {0, 1}) {
    alone.kernel(rank, "a", 0, 10);
    alone.kernel(rank, "a", 20, 10);
  }
  const OverlapFigures figures = figures_of(two_steps(), &alone);
  EXPECT_FALSE(figures.contention_tax_ns);
  ASSERT_EQ(figures.unavailable.size(), 1);
  EXPECT_EQ(figures.unavailable[0], "contention: rank 0 did 3 kernels in a step, and 1 alone");
}

const OverlapCause* cause_named(const std::vector<OverlapCause>& causes, const std::string& id) {
  for (const OverlapCause& cause : causes) {
    if (cause.id == id) {
      return &cause;
    }
  }
  return nullptr;
}

TEST(OverlapCauses, NameWhatTheSettingAndTheFiguresShow) {
  const TestSteps alone = steps_alone();
  OverlapFigures figures = figures_of(two_steps(), &alone);
  const auto good = overlap_causes(figures, {true, 2, 2, 1, false});
  EXPECT_EQ(cause_named(good, "no_prefetch"), nullptr);
  EXPECT_EQ(cause_named(good, "one_communicator"), nullptr);
  EXPECT_EQ(cause_named(good, "straggler"), nullptr);  // each is last in half
  ASSERT_NE(cause_named(good, "contention"), nullptr);
  EXPECT_DOUBLE_EQ(cause_named(good, "contention")->saves_ns, 20);
  const auto bad = overlap_causes(figures, {true, 2, 1, 0, false});
  ASSERT_NE(cause_named(bad, "no_prefetch"), nullptr);
  EXPECT_DOUBLE_EQ(cause_named(bad, "no_prefetch")->saves_ns, 10);  // exposed: 20 on rank 0, none on rank 1
  ASSERT_NE(cause_named(bad, "one_communicator"), nullptr);
  EXPECT_DOUBLE_EQ(cause_named(bad, "one_communicator")->saves_ns, 60);
  EXPECT_EQ(overlap_causes(figures, {false, 2, 1, 0, false}).size(), good.size());
  ASSERT_NE(cause_named(overlap_causes(figures, {true, 2, 2, 1, true}), "clipping"), nullptr);
  EXPECT_DOUBLE_EQ(cause_named(overlap_causes(figures, {true, 2, 2, 1, true}), "clipping")->saves_ns, 60);
  EXPECT_EQ(cause_named(good, "clipping"), nullptr);
  const auto behind = overlap_causes(figures, {true, 2, 2, 1, true, false, true});
  EXPECT_EQ(cause_named(behind, "clipping"), nullptr);
  EXPECT_NE(cause_named(behind, "late_reduction"), nullptr);
  figures.ranks[1].last = 4;
  figures.ranks[0].last = 0;
  EXPECT_EQ(cause_named(overlap_causes(figures, {true, 2, 2, 1, false}), "straggler"), nullptr);  // 2 / 2^4 by chance
  figures.ranks[1].last = 9;
  ASSERT_NE(cause_named(overlap_causes(figures, {true, 2, 2, 1, false}), "straggler"), nullptr);
  EXPECT_DOUBLE_EQ(cause_named(overlap_causes(figures, {true, 2, 2, 1, false}), "straggler")->saves_ns, 20);
}

TEST(OverlapCauses, CollectivesThatAreSlowerThanTheLargestAreTooSmall) {
  OverlapFigures figures = figures_of(two_steps());
  EXPECT_EQ(cause_named(overlap_causes(figures, {true, 2, 2, 1, false}), "small_collectives"), nullptr);
  CollectiveOverlap large = figures.collectives[0];
  large.bytes = 100'000;
  large.bus_bandwidth = 12.5;  // twice that of the reduction, and more than the gather's
  figures.collectives.push_back(large);
  const auto causes = overlap_causes(figures, {false, 2, 1, 1, false});
  ASSERT_NE(cause_named(causes, "small_collectives"), nullptr);
  const double gather_beyond = 60 * (1 - *figures.collectives[1].bus_bandwidth / 12.5);
  EXPECT_DOUBLE_EQ(cause_named(causes, "small_collectives")->saves_ns, 40 + gather_beyond);
}

TEST(ShardedDocument, IsReadAsItWasWritten) {
  const TestSteps alone = steps_alone();
  ShardedDocument document;
  document.model = "llama";
  document.setting = {true, 2, 2, 1, false};
  document.config = JsonValue(Json{{"training", {{"max_steps", 3}}}});
  ShardedRank& rank = document.ranks.emplace_back();
  rank.rank = 1;
  rank.losses = {3, 2};
  rank.step_p50_ns = 5;
  document.figures = figures_of(two_steps(), &alone);
  document.causes = overlap_causes(*document.figures, document.setting);
  document.timeline = {{0, "compute", "a", "computation", 0, 100}};
  const Json json = document;
  const auto read = read_sharded_document(json, "here");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(Json(*read), json);
  EXPECT_EQ(read_sharded_document(Json{{"kind", "training_run"}}, "here").error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace aaco
