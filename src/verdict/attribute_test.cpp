// SPDX-License-Identifier: MIT
#include "verdict/attribute.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

#include "verdict/test_samples.h"

namespace aaco {
namespace {

using test::sample_of;

RunSample profiled(double latency_ns, std::vector<NodeSample> nodes, std::optional<double> exposed_ns) {
  RunSample sample = sample_of({latency_ns, latency_ns, latency_ns});
  sample.nodes = std::move(nodes);
  sample.nodes_unavailable.clear();
  sample.exposed_ns = exposed_ns;
  return sample;
}

NodeSample node(const std::string& name, double executions, std::optional<double> time_ns, double bound_ns = 0) {
  return {name, "Add", "[4]", executions, time_ns, bound_ns, NodeLimit::kUnknown, {executions * time_ns.value_or(0)}};
}

// What the nodes with a time take.
double timed_ns(const RunSample& sample) {
  double sum_ns = 0;
  for (const NodeSample& node : sample.nodes) {
    sum_ns += node.executions * node.time_ns.value_or(0);
  }
  return sum_ns;
}

TEST(Attribute, TermsOfAKnownChange) {
  // a: 2 -> 3 executions at 100 -> 110: count 100, time 30. b: 1 at 500 -> 450: time -50. Gap 200 -> 260.
  // Latency 900 -> 1100: change 200 = 100 - 20 + 60 + 60.
  const RunSample baseline = profiled(900, {node("a", 2, 100), node("b", 1, 500)}, 200);
  const RunSample test = profiled(1100, {node("b", 1, 450), node("a", 3, 110)}, 260);
  const Attribution result = *attribute_change(baseline, test);
  EXPECT_NEAR(result.change_ns, 200, 1e-9);
  EXPECT_NEAR(*result.count_ns, 100, 1e-9);
  EXPECT_NEAR(*result.time_ns, -20, 1e-9);
  EXPECT_NEAR(*result.gap_ns, 60, 1e-9);
  EXPECT_NEAR(result.unexplained_ns, 60, 1e-9);
  EXPECT_EQ(result.largest_term, ChangeTerm::kCount);
  EXPECT_EQ(result.nodes[0].name, "a");
  EXPECT_EQ(result.nodes[0].matched_by, "name");
  EXPECT_EQ(*result.launches_baseline, 3);
  EXPECT_EQ(*result.launches_test, 4);
  EXPECT_NEAR(*result.kernel_ns_baseline, 700.0 / 3, 1e-9);
  EXPECT_NEAR(*result.kernel_ns_test, 780.0 / 4, 1e-9);
}

TEST(Attribute, LatencyIsTheGeometricMeanOverProcesses) {
  const Attribution result = *attribute_change(sample_of({100, 400}), sample_of({100, 900}));
  EXPECT_NEAR(result.baseline_ns, 200, 1e-9);
  EXPECT_NEAR(result.test_ns, 300, 1e-9);
}

TEST(Attribute, WithoutAProfileAllIsUnexplained) {
  const RunSample baseline = profiled(900, {node("a", 1, 100)}, 800);
  const Attribution result = *attribute_change(baseline, sample_of({1000, 1000, 1000}));
  EXPECT_FALSE(result.count_ns || result.time_ns || result.gap_ns || result.clock_ns);
  EXPECT_NEAR(result.unexplained_ns, 100, 1e-9);
  EXPECT_EQ(result.largest_term, ChangeTerm::kUnexplained);
  EXPECT_EQ(result.profile_unavailable, "test: not profiled");
}

TEST(Attribute, NodesWithoutANamesakeMatchByOperatorAndShapes) {
  const RunSample baseline = profiled(1000, {node("x1", 1, 100), node("x2", 1, 200)}, 700);
  const RunSample test = profiled(1000, {node("y1", 1, 160), node("y2", 1, 200)}, 640);
  const Attribution result = *attribute_change(baseline, test);
  ASSERT_EQ(result.nodes.size(), 1u);
  EXPECT_EQ(result.nodes[0].name, "Add [4]");
  EXPECT_EQ(result.nodes[0].matched_by, "operator and shapes");
  EXPECT_EQ(*result.count_ns, 0);
  EXPECT_NEAR(*result.time_ns, 60, 1e-9);  // 2 x (180 - 150)
}

TEST(Attribute, ANodeOfOneSideIsAllCount) {
  RunSample baseline = profiled(1000, {node("a", 1, 100), node("gone", 2, 50)}, 800);
  RunSample test = profiled(1200, {node("a", 1, 100), node("new", 1, 300)}, 800);
  baseline.nodes[1].op_type = "Relu";
  const Attribution result = *attribute_change(baseline, test);
  EXPECT_NEAR(*result.count_ns, 300 - 100, 1e-9);
  EXPECT_EQ(*result.time_ns, 0);
  EXPECT_NEAR(result.unexplained_ns, 0, 1e-9);
  EXPECT_EQ(result.nodes[0].matched_by, "only in test");
  EXPECT_EQ(result.nodes[1].matched_by, "only in baseline");
}

TEST(Attribute, ANameThatNowMeansAnotherOperatorIsNoMatch) {
  const RunSample baseline = profiled(1000, {node("n", 1, 100)}, 900);
  RunSample test = profiled(1000, {node("n", 1, 100)}, 900);
  test.nodes[0].op_type = "Conv";
  EXPECT_EQ(attribute_change(baseline, test)->nodes.size(), 2u);
}

TEST(Attribute, BelowResolutionOnBothSidesAnExecutionCostsItsShareOfTheLatency) {
  // 10 executions in 1000: 100 each, dispatch included. 10 more: count 1000. The rest of +1200 is gap.
  const RunSample baseline = profiled(1000, {node("a", 10, std::nullopt, 40)}, 1000);
  const RunSample test = profiled(2200, {node("a", 20, std::nullopt, 40)}, 2200);
  const Attribution result = *attribute_change(baseline, test);
  EXPECT_NEAR(*result.count_ns, 1000, 1e-9);
  EXPECT_NEAR(*result.nodes[0].count_ns, 1000, 1e-9);
  EXPECT_FALSE(result.time_ns || result.nodes[0].time_ns);
  EXPECT_EQ(result.time_unavailable, "no node has a time on both sides");
  EXPECT_NEAR(*result.gap_ns, 200, 1e-9);
  // No more is known of the exposed 1000 than of the 10 nodes: +- 400, of which 10 executions more have the same.
  EXPECT_NEAR(result.count_bound_ns, 400, 1e-9);
  EXPECT_NEAR(result.nodes[0].count_bound_ns, 400, 1e-9);
  EXPECT_NEAR(result.gap_bound_ns, std::hypot(800, 2 * 400), 1e-9);
  EXPECT_EQ(result.kernel_basis, KernelBasis::kExecutedNodes);
  EXPECT_NEAR(*result.kernel_ns_test, 110, 1e-9);
  EXPECT_NEAR(result.unexplained_ns, 0, 1e-9);  // 1200 - 1000 - 200
}

TEST(Attribute, AsManyExecutionsAreNoCountTermWhateverTheirTime) {
  const RunSample baseline = profiled(1000, {node("a", 10, std::nullopt, 40)}, std::nullopt);
  const RunSample test = profiled(1500, {node("a", 10, std::nullopt, 40)}, std::nullopt);
  const Attribution result = *attribute_change(baseline, test);
  EXPECT_EQ(result.count_ns, 0);
  EXPECT_FALSE(result.time_ns || result.gap_ns);
  EXPECT_NEAR(result.unexplained_ns, 500, 1e-9);
}

TEST(Attribute, WithoutExposedTimeMoreUntimedExecutionsAreUnexplained) {
  const RunSample baseline = profiled(1000, {node("a", 10, std::nullopt, 40)}, std::nullopt);
  const RunSample test = profiled(1500, {node("a", 20, std::nullopt, 40)}, std::nullopt);
  const Attribution result = *attribute_change(baseline, test);
  EXPECT_FALSE(result.count_ns || result.time_ns || result.gap_ns);
  EXPECT_EQ(result.largest_term, ChangeTerm::kUnexplained);
}

TEST(Attribute, NodeTimesThatExceedTheLatencyGiveNoTerms) {
  RunSample baseline = profiled(1000, {node("a", 10, 300, 5)}, std::nullopt);  // 3000 +- 50 of 1000
  RunSample test = profiled(1500, {node("a", 10, 100, 5)}, std::nullopt);
  const Attribution result = *attribute_change(baseline, test);
  EXPECT_FALSE(result.reconciled);
  EXPECT_FALSE(result.count_ns || result.time_ns || result.gap_ns);
  EXPECT_EQ(result.profile_unavailable, "baseline: node times add up to more than the unprofiled latency");
  EXPECT_EQ(*result.launches_test, 10);
  EXPECT_EQ(result.kernel_basis, KernelBasis::kExecutedNodes);
  // Within the bound they may be right; and nodes that run side by side may add up to more.
  baseline.nodes[0].bound_ns = 250;
  EXPECT_TRUE(attribute_change(baseline, test)->reconciled);
  baseline.nodes[0].bound_ns = 5;
  baseline.configuration.inter_op_threads = 2;
  EXPECT_TRUE(attribute_change(baseline, test)->reconciled);
}

TEST(Attribute, BelowResolutionOnOneSideIsTheMiddleOfItsBound) {
  // t_A in [0, 40]: 20 +- 20; t_B = 520 +- 0: time 10 x 500 +- 10 x 20.
  const RunSample baseline = profiled(1000, {node("a", 10, std::nullopt, 40)}, 800);
  const RunSample test = profiled(6000, {node("a", 10, 520)}, 800);
  const Attribution result = *attribute_change(baseline, test);
  EXPECT_NEAR(*result.time_ns, 5000, 1e-9);
  EXPECT_NEAR(result.time_bound_ns, 200, 1e-9);
}

TEST(Attribute, ANodeBelowResolutionLeavesItsGroupTheTimeOfTheOthers) {
  // x1 = 500, x2 in [0, 2]; y1 = 900, y2 in [0, 2].
  const RunSample baseline = profiled(1000, {node("x1", 1, 500), node("x2", 1, std::nullopt, 2)}, 400);
  const RunSample test = profiled(1400, {node("y1", 1, 900), node("y2", 1, std::nullopt, 2)}, 400);
  const Attribution result = *attribute_change(baseline, test);
  EXPECT_NEAR(*result.time_ns, 400, 1e-9);
  EXPECT_NEAR(result.time_bound_ns, 1 + 1, 1e-9);
  EXPECT_EQ(*result.count_ns, 0);
  // Of one side: 500 and something in [0, 2].
  RunSample none = profiled(1000, {node("z", 1, 100)}, 400);
  none.nodes[0].op_type = "Relu";
  const Attribution added = *attribute_change(none, baseline);
  EXPECT_NEAR(*added.count_ns, 501 - 100, 1e-9);
  EXPECT_NEAR(added.count_bound_ns, 1, 1e-9);
}

TEST(Attribute, ManyNodesBelowResolutionLieInTheSumOfTheirRanges) {
  // 100 nodes of 520 against as many under 400: the truth lies in [-52000, -12000], whatever they are called.
  for (const char* name : {"x", "y"}) {
    std::vector<NodeSample> before;
    std::vector<NodeSample> after;
    for (int i = 0; i < 100; ++i) {
      before.push_back(node("x" + std::to_string(i), 1, 520));
      after.push_back(node(name + std::to_string(i), 1, std::nullopt, 300));
    }
    RunSample test = profiled(1e6, after, 800);
    test.profiler_bound_ns = 100;
    const Attribution result = *attribute_change(profiled(1e6, before, 800), test);
    EXPECT_NEAR(*result.time_ns, -32'000, 1e-6) << name;
    EXPECT_NEAR(result.time_bound_ns, 20'000, 1e-6) << name;
  }
}

// 200 nodes of 10 us; one process of three takes 1 us more for each.
std::vector<NodeSample> slow_in_one_process(const std::function<size_t(int)>& slow_process) {
  std::vector<NodeSample> nodes;
  for (int i = 0; i < 200; ++i) {
    nodes.push_back(node("n" + std::to_string(i), 1, 10'000));
    nodes.back().process_ns.assign(3, 10'000);
    nodes.back().process_ns[slow_process(i)] += 1'000;
  }
  return nodes;
}

TEST(Attribute, WhatMakesAProcessSlowIsInAllItsNodes) {
  const double spread = centre_of(std::vector<double>{10'000, 10'000, 11'000}).spread;
  const auto change_of = [](const std::vector<NodeSample>& nodes) {
    return *attribute_change(profiled(2.1e6, nodes, 1e5), profiled(2.4e6, nodes, 1e5));
  };
  const Attribution shared = change_of(slow_in_one_process([](int) { return 0; }));
  EXPECT_NEAR(shared.time_bound_ns, 200 * spread * std::sqrt(2), 1e-3);
  EXPECT_NEAR(shared.gap_bound_ns, 200 * spread * std::sqrt(2), 1e-3);
  EXPECT_NEAR(shared.nodes[0].time_bound_ns, spread * std::sqrt(2), 1e-6);
  // In turns: the processes' sums agree but for the two nodes left over.
  EXPECT_LT(change_of(slow_in_one_process([](int i) { return i % 3; })).time_bound_ns, 10 * spread);
}

TEST(Attribute, WhatProcessesShareIsInTheSumThatReconciles) {
  // 2000 us +- 200 spreads in a latency of 1800.
  const std::vector<NodeSample> nodes = slow_in_one_process([](int) { return 1; });
  EXPECT_TRUE(attribute_change(profiled(1.8e6, nodes, 800), profiled(1.8e6, nodes, 800))->reconciled);
}

TEST(Attribute, NodesWithMoreAndWithFewerExecutionsDoNotAgreeByChance) {
  // Count: once more a, once less b. a is slow in one process, b in another: each has its spread.
  RunSample baseline = profiled(1e5, {node("a", 1, 10'000), node("b", 2, 10'000)}, 800);
  baseline.nodes[0].process_ns = {11'000, 10'000, 10'000};
  baseline.nodes[1].process_ns = {20'000, 22'000, 20'000};
  RunSample test = profiled(1e5, {node("a", 2, 10'000), node("b", 1, 10'000)}, 800);
  const double spread = centre_of(std::vector<double>{10'000, 10'000, 11'000}).spread;
  EXPECT_NEAR(attribute_change(baseline, test)->count_bound_ns, 2 * spread, 1e-6);
}

TEST(Attribute, BoundsOfAnOldBaselineAddUp) {
  // Its bounds contain the spread, 3 and 4; the test's are 3 and 4 of resolution.
  RunSample baseline = profiled(1000, {node("a", 1, 100, 3), node("b", 1, 100, 4)}, 800);
  const RunSample test = baseline;
  for (NodeSample& old : baseline.nodes) {
    old.process_ns.clear();
  }
  EXPECT_NEAR(attribute_change(baseline, test)->time_bound_ns, 7 + 5, 1e-9);
}

TEST(Attribute, TheGapIsWithinTheBoundsOfBothExposedTimes) {
  RunSample baseline = profiled(1000, {node("a", 1, 100), node("u", 10, std::nullopt, 4)}, 800);
  RunSample test = profiled(1300, {node("a", 1, 100), node("u", 10, std::nullopt, 4)}, 1100);
  baseline.exposed_bound_ns = 30;
  test.exposed_bound_ns = 40;
  EXPECT_NEAR(attribute_change(baseline, test)->gap_bound_ns, 50, 1e-9);
  test.nodes[1].executions = 21;  // 11 of the baseline's 11 more: its exposed time is in count, too
  const Attribution result = *attribute_change(baseline, test);
  EXPECT_NEAR(*result.count_ns, 800, 1e-9);
  EXPECT_NEAR(result.count_bound_ns, 30, 1e-9);
  EXPECT_NEAR(result.gap_bound_ns, std::hypot(40, 2 * 30), 1e-9);
}

TEST(Attribute, ANodesBoundHasAllItsParts) {
  // A cost within 300 and a resolution of 1000: 800 in each execution alike, 500 its own.
  RunSample baseline = profiled(20'000, {node("a", 1, 9'000, 500)}, 800);
  baseline.profiler_bound_ns = 800;
  const Attribution result = *attribute_change(baseline, baseline);
  EXPECT_NEAR(result.nodes[0].time_bound_ns, std::hypot(500, 500) + std::hypot(800, 800), 1e-9);
  EXPECT_NEAR(result.time_bound_ns, result.nodes[0].time_bound_ns, 1e-9);
}

TEST(Attribute, BoundsAddAsSquares) {
  // Two nodes, bounds 3 and 4 a side, one execution: time sqrt(2 (9 + 16)), gap the same.
  const std::vector<NodeSample> nodes{node("a", 1, 100, 3), node("b", 1, 100, 4)};
  const Attribution result = *attribute_change(profiled(1000, nodes, 800), profiled(1000, nodes, 800));
  EXPECT_NEAR(result.time_bound_ns, std::sqrt(50.0), 1e-9);
  EXPECT_NEAR(result.gap_bound_ns, std::sqrt(50.0), 1e-9);
  EXPECT_EQ(result.count_bound_ns, 0);
}

TEST(Attribute, AMiscalibratedProfilerIsTheSameInEveryNode) {
  // 3 and 4 ns per execution: 5 a pair of executions. Time: 20 executions; gap: 20 x 3 and 20 x 4 in quadrature.
  const std::vector<NodeSample> nodes{node("a", 10, 100), node("b", 10, 100)};
  RunSample baseline = profiled(5000, nodes, 800);
  RunSample test = profiled(5000, nodes, 800);
  baseline.profiler_bound_ns = 3;
  test.profiler_bound_ns = 4;
  const Attribution result = *attribute_change(baseline, test);
  EXPECT_NEAR(result.time_bound_ns, 100, 1e-9);
  EXPECT_NEAR(result.gap_bound_ns, 100, 1e-9);
}

TEST(Attribute, ClockIsTheShareThatTheFrequenciesForetell) {
  // 2000 -> 1600 MHz foretells +25 %: 250 of node a; node b is limited by memory and does not count.
  RunSample baseline = profiled(2000, {node("a", 1, 1000), node("b", 1, 500)}, 500);
  RunSample test = profiled(2400, {node("a", 1, 1300), node("b", 1, 600)}, 500);
  baseline.nodes[1].limit = test.nodes[1].limit = NodeLimit::kMemory;
  baseline.cpu_frequency_mhz = 2000;
  test.cpu_frequency_mhz = 1600;
  const Attribution result = *attribute_change(baseline, test);
  EXPECT_NEAR(*result.clock_ns, 250, 1e-9);
  EXPECT_NEAR(*result.time_ns, 400, 1e-9);
  EXPECT_NEAR(result.unexplained_ns, 0, 1e-9);  // 400 - 400, the clock being a part of time
}

TEST(Attribute, AClockExplainsNoMoreThanWasSeen) {
  RunSample baseline = profiled(2000, {node("a", 1, 1000)}, 1000);
  RunSample test = profiled(2100, {node("a", 1, 1100)}, 1000);
  baseline.cpu_frequency_mhz = 2000;
  test.cpu_frequency_mhz = 1000;
  EXPECT_NEAR(*attribute_change(baseline, test)->clock_ns, 100, 1e-9);
  test.cpu_frequency_mhz = 4000;  // faster clock, slower node
  EXPECT_EQ(*attribute_change(baseline, test)->clock_ns, 0);
  test.cpu_frequency_mhz.reset();
  const Attribution unknown = *attribute_change(baseline, test);
  EXPECT_FALSE(unknown.clock_ns);
  EXPECT_EQ(unknown.clock_unavailable,
            "test: CPU frequency was not sampled while the process kept all processors busy");
}

TEST(Attribute, TheLargestTermIsTheLargestInTheDirectionOfTheChange) {
  // Count +400 and time -300 of a change of +120: the time term did not cause a slowdown.
  const RunSample baseline = profiled(1000, {node("a", 4, 200)}, 200);
  const RunSample test = profiled(1120, {node("a", 6, 150)}, 220);
  EXPECT_EQ(attribute_change(baseline, test)->largest_term, ChangeTerm::kCount);
  EXPECT_EQ(attribute_change(test, baseline)->largest_term, ChangeTerm::kCount);
}

// The terms together are the change of the nodes' time and of the exposed time, however they share it.
TEST(Attribute, LeavesUnexplainedWhatNodesAndExposedTimeDoNotExplain) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform;
  for (int round = 0; round < 500; ++round) {
    const auto any_run = [&] {
      std::vector<NodeSample> nodes;
      for (int i = 0; i < 30; ++i) {
        if (uniform(random) < 0.8) {
          nodes.push_back(node("n" + std::to_string(i), 1 + std::floor(4 * uniform(random)),
                               uniform(random) < 0.8 ? std::optional(1e4 * uniform(random)) : std::nullopt, 100));
          nodes.back().bound_ns = nodes.back().time_ns ? 100 : 0;  // a node without a time takes none
          nodes.back().op_type = uniform(random) < 0.5 ? "Add" : "Mul";
        }
      }
      return profiled(1e6 * (0.5 + uniform(random)), std::move(nodes), 1e5 * uniform(random));
    };
    const RunSample baseline = any_run();
    const RunSample test = any_run();
    const Attribution result = *attribute_change(baseline, test);
    const double explained_ns = timed_ns(test) - timed_ns(baseline) + *test.exposed_ns - *baseline.exposed_ns;
    const double change_ns = test.process_medians_ns.front() - baseline.process_medians_ns.front();
    EXPECT_NEAR(result.unexplained_ns, change_ns - explained_ns, 1e-9 * result.baseline_ns);
    double count = 0;
    double time = 0;
    for (const NodeChange& change : result.nodes) {
      count += change.count_ns.value_or(0);
      time += change.time_ns.value_or(0);
    }
    EXPECT_NEAR(count, *result.count_ns, 1e-6);
    EXPECT_NEAR(time, *result.time_ns, 1e-6);
  }
}

}  // namespace
}  // namespace aaco
