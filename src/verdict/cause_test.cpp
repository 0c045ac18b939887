// SPDX-License-Identifier: MIT
#include "verdict/cause.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "verdict/test_samples.h"

namespace aaco {
namespace {

using test::RunModel;
using testing::HasSubstr;

struct CauseResult {
  Comparison comparison;
  Attribution attribution;
  Cause cause;
};

// On a machine whose drift was measured.
CauseResult find(const RunSample& baseline, const RunSample& test) {
  CompareOptions options;
  options.drift = 0.01;
  CauseResult result{compare(baseline, test, options), *attribute_change(baseline, test), {}};
  result.cause = suspect_cause(result.comparison, result.attribution, baseline, test);
  return result;
}

// How often a slowdown made in one way is found as such, of 200 noisy pairs of runs of five processes.
int found_of_200(
    const RunModel& slow, ChangeTerm term, BottleneckClass cause,
    const std::function<void(RunSample&, RunSample&)>& touch = [](RunSample&, RunSample&) {}) {
  int hits = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    RunSample baseline = RunModel{}.sample(5, random);
    RunSample test = slow.sample(5, random);
    touch(baseline, test);
    const CauseResult result = find(baseline, test);
    hits += result.comparison.verdict == Verdict::kRegressed && result.attribution.largest_term == term &&
            result.cause.suspected_cause == cause;
  }
  return hits;
}

constexpr int kEightyPercent = 160;

// The baseline takes 1.8 ms: 200 x 3 us + 20 x 50 us + 200 us. Each injection adds 9 to 17 % of it.
TEST(Cause, MoreSmallKernelsAreFound) {
  RunModel slow;
  slow.small_nodes = 280;  // +40 %, +240 us
  EXPECT_GE(found_of_200(slow, ChangeTerm::kCount, BottleneckClass::kLaunchBound), kEightyPercent);
}

TEST(Cause, MoreKernelsBelowResolutionAreFound) {
  RunModel slow;
  slow.small_nodes = 280;
  slow.gap_ns += 80 * 100;  // each dispatch costs 100 ns
  const auto untimed = [](RunSample& baseline, RunSample& test) {
    for (RunSample* sample : {&baseline, &test}) {
      for (NodeSample& node : sample->nodes) {
        if (node.op_type == "Add") {
          *sample->exposed_ns += *node.time_ns;
          node.time_ns.reset();
        }
      }
    }
  };
  EXPECT_GE(found_of_200(slow, ChangeTerm::kCount, BottleneckClass::kLaunchBound, untimed), kEightyPercent);
}

TEST(Cause, SlowerComputeNodesAreFound) {
  RunModel slow;
  slow.large_ns *= 1.2;  // +200 us
  EXPECT_GE(found_of_200(slow, ChangeTerm::kTime, BottleneckClass::kComputeBound), kEightyPercent);
}

TEST(Cause, SlowerMemoryNodesAreFound) {
  RunModel slow;
  slow.large_ns *= 1.2;
  const auto memory = [](RunSample& baseline, RunSample& test) {
    for (RunSample* sample : {&baseline, &test}) {
      for (NodeSample& node : sample->nodes) {
        node.limit = node.op_type == "MatMul" ? NodeLimit::kMemory : node.limit;
      }
    }
  };
  EXPECT_GE(found_of_200(slow, ChangeTerm::kTime, BottleneckClass::kMemoryBound, memory), kEightyPercent);
}

TEST(Cause, AGapFromABlockedThreadIsFound) {
  RunModel slow;
  slow.gap_ns += 250'000;
  const auto blocked = [](RunSample& baseline, RunSample& test) {
    baseline.off_cpu_ns = 5'000;
    test.off_cpu_ns = 240'000;
  };
  EXPECT_GE(found_of_200(slow, ChangeTerm::kGap, BottleneckClass::kCpuBound, blocked), kEightyPercent);
}

TEST(Cause, AGapOfUnknownOriginIsFoundAndLeftUndetermined) {
  RunModel slow;
  slow.gap_ns += 250'000;
  EXPECT_GE(found_of_200(slow, ChangeTerm::kGap, BottleneckClass::kUndetermined), kEightyPercent);
}

TEST(Cause, ALowerClockIsFound) {
  RunModel slow;
  slow.clock_mhz = 1600;  // 2000 / 1600 = 1.25
  slow.small_ns *= 1.25;
  slow.large_ns *= 1.25;
  slow.gap_ns *= 1.25;
  EXPECT_GE(found_of_200(slow, ChangeTerm::kTime, BottleneckClass::kThrottling), kEightyPercent);
}

TEST(Cause, WhatTheProfileDidNotSeeIsUnexplained) {
  RunModel slow;
  slow.hidden_ns = 250'000;
  EXPECT_GE(found_of_200(slow, ChangeTerm::kUnexplained, BottleneckClass::kUndetermined), kEightyPercent);
}

TEST(Cause, WaitingForProcessorsIsFound) {
  RunModel slow;
  slow.small_ns *= 1.2;
  slow.large_ns *= 1.2;
  const auto delayed = [](RunSample& baseline, RunSample& test) {
    baseline.run_delay_ns = 1'000;
    test.run_delay_ns = 330'000;
  };
  EXPECT_GE(found_of_200(slow, ChangeTerm::kTime, BottleneckClass::kCpuBound, delayed), kEightyPercent);
}

TEST(Cause, WithoutAChangeThereIsNoCause) {
  std::mt19937_64 random(1);
  const CauseResult result = find(RunModel{}.sample(5, random), RunModel{}.sample(5, random));
  EXPECT_EQ(result.cause.suspected_cause, BottleneckClass::kUndetermined);
  EXPECT_THAT(result.cause.reason, HasSubstr("no change was shown"));
}

// Where no number of processes decides, more of them are not advised.
TEST(Cause, WhatNoNumberDecidesAsksForNoMoreProcesses) {
  Comparison comparison;
  comparison.verdict = Verdict::kInconclusive;
  comparison.interval = Interval{0.99, 1.04};
  const auto advice = [&] { return suspect_cause(comparison, {}, {}, {}).recommendation; };
  EXPECT_THAT(advice(), testing::AllOf(HasSubstr("--rerun"), testing::Not(HasSubstr("more processes"))));
  comparison.interleaved = true;
  EXPECT_THAT(advice(), testing::AllOf(HasSubstr("--min-effect"), testing::Not(HasSubstr("processes"))));
  comparison.processes_needed = 12;
  EXPECT_THAT(advice(), HasSubstr("more processes"));
}

TEST(Cause, AnImprovementHasACauseToo) {
  std::mt19937_64 random(1);
  RunModel fused;
  fused.small_nodes = 80;
  const CauseResult result = find(RunModel{}.sample(5, random), fused.sample(5, random));
  EXPECT_EQ(result.comparison.verdict, Verdict::kImproved);
  EXPECT_EQ(result.cause.suspected_cause, BottleneckClass::kLaunchBound);
  EXPECT_EQ(result.cause.rule, "more-launches");
}

TEST(Cause, MoreLargeKernelsAreNotLaunchBound) {
  std::mt19937_64 random(1);
  RunModel slow;
  slow.large_nodes = 30;  // 50 us each
  const CauseResult result = find(RunModel{}.sample(5, random), slow.sample(5, random));
  EXPECT_EQ(result.attribution.largest_term, ChangeTerm::kCount);
  EXPECT_EQ(result.cause.suspected_cause, BottleneckClass::kComputeBound);
}

TEST(Cause, AnUnprofiledRunIsUndeterminedAndSaysWhatElseGrew) {
  std::mt19937_64 random(1);
  RunModel slow;
  slow.large_ns *= 1.3;
  RunSample baseline = RunModel{}.sample(5, random);
  RunSample test = slow.sample(5, random);
  test.nodes.clear();
  test.nodes_unavailable = "not profiled";
  baseline.run_delay_ns = 0;
  test.run_delay_ns = 300'000;
  const CauseResult result = find(baseline, test);
  EXPECT_EQ(result.cause.suspected_cause, BottleneckClass::kUndetermined);
  EXPECT_EQ(result.cause.rule, "not-profiled");
  EXPECT_THAT(result.cause.reason, HasSubstr("runnable but not running"));
}

// Threads wait while a quota stops them: the quota is the cause, not those who would compete.
TEST(Cause, AQuotaComesBeforeTheWaitingThatItMakes) {
  std::mt19937_64 random(1);
  RunModel slow;
  slow.large_ns *= 1.3;
  RunSample baseline = RunModel{}.sample(5, random);
  RunSample test = slow.sample(5, random);
  baseline.run_delay_ns = 0;
  test.run_delay_ns = 400'000;
  baseline.quota_stopped_ns = 0;
  test.quota_stopped_ns = 300'000;
  const CauseResult result = find(baseline, test);
  EXPECT_EQ(result.cause.suspected_cause, BottleneckClass::kQuotaBound);
  EXPECT_EQ(result.cause.rule, "quota");
  EXPECT_THAT(result.cause.reason, HasSubstr("a CPU quota stopped the run 300"));
  baseline.quota_stopped_ns.reset();
  EXPECT_EQ(find(baseline, test).cause.rule, "waiting-for-processors") << "an older baseline does not tell";
}

TEST(Cause, ATimeTermWithinItsBoundIsNoEvidence) {
  std::mt19937_64 random(1);
  RunModel slow;
  slow.large_ns *= 1.3;
  RunSample baseline = RunModel{}.sample(5, random);
  RunSample test = slow.sample(5, random);
  for (NodeSample& node : test.nodes) {
    node.bound_ns = 200'000;
  }
  EXPECT_EQ(find(baseline, test).cause.rule, "below-resolution");
}

TEST(Cause, ACountTermWithinItsBoundIsNoEvidence) {
  std::mt19937_64 random(1);
  RunModel slow;
  slow.small_nodes = 280;
  const RunSample baseline = RunModel{}.sample(5, random);
  RunSample test = slow.sample(5, random);
  EXPECT_EQ(find(baseline, test).cause.rule, "more-launches");
  test.profiler_bound_ns = 4'000;  // of 80 nodes of 3 us
  const CauseResult result = find(baseline, test);
  EXPECT_EQ(result.attribution.largest_term, ChangeTerm::kCount);
  EXPECT_EQ(result.cause.rule, "below-resolution");
}

TEST(Cause, AGapWithinItsBoundIsNoEvidenceButABlockedThreadIs) {
  std::mt19937_64 random(1);
  RunModel slow;
  slow.gap_ns += 250'000;
  RunSample baseline = RunModel{}.sample(5, random);
  RunSample test = slow.sample(5, random);
  test.exposed_bound_ns = 300'000;
  EXPECT_EQ(find(baseline, test).cause.rule, "below-resolution");
  baseline.off_cpu_ns = 5'000;
  test.off_cpu_ns = 240'000;
  EXPECT_EQ(find(baseline, test).cause.rule, "blocked");
}

TEST(Cause, ATimeThatOneSlowProcessMayHaveMadeIsNoEvidence) {
  // 200 nodes of 10 us, 1.5 us slower each: +300 us. One process of three is 2 us slower in all of them.
  std::mt19937_64 random(1);
  RunModel run{.small_ns = 10'000, .large_nodes = 0};
  RunSample baseline = run.sample(5, random);
  run.small_ns += 1'500;
  RunSample test = run.sample(5, random);
  EXPECT_EQ(find(baseline, test).attribution.largest_term, ChangeTerm::kTime);
  EXPECT_NE(find(baseline, test).cause.rule, "below-resolution");
  for (RunSample* sample : {&baseline, &test}) {
    for (NodeSample& node : sample->nodes) {
      node.process_ns[0] += 2'000;
    }
  }
  EXPECT_EQ(find(baseline, test).cause.rule, "below-resolution");
}

TEST(Cause, WithoutRoofsTheClassOfTheRunSpeaksForItsNodes) {
  std::mt19937_64 random(1);
  RunModel slow;
  slow.large_ns *= 1.3;
  RunSample baseline = RunModel{}.sample(5, random);
  RunSample test = slow.sample(5, random);
  for (NodeSample& node : test.nodes) {
    node.limit = NodeLimit::kUnknown;
  }
  EXPECT_EQ(find(baseline, test).cause.rule, "limit-unknown");
  test.bottleneck_class = BottleneckClass::kMemoryBound;
  EXPECT_EQ(find(baseline, test).cause.suspected_cause, BottleneckClass::kMemoryBound);
}

TEST(Cause, EveryRuleGivesAdvice) {
  std::mt19937_64 random(1);
  RunModel slow;
  slow.gap_ns += 300'000;
  const CauseResult result = find(RunModel{}.sample(5, random), slow.sample(5, random));
  EXPECT_EQ(result.cause.rule, "outside-nodes");
  EXPECT_FALSE(result.cause.recommendation.empty());
}

}  // namespace
}  // namespace aaco
