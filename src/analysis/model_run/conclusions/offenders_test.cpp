// SPDX-License-Identifier: MIT
#include "analysis/model_run/conclusions/offenders.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "analysis/model_run/conclusions/rules.h"
#include "analysis/model_run/test_recording.h"
#include "record/device/device_rows.h"

namespace aaco {
namespace {

const Offender* find(const Analysis& analysis, std::string_view subject) {
  const auto position =
      std::find_if(analysis.offenders.begin(), analysis.offenders.end(),
                   [&](const Offender& offender) { return offender.subject.find(subject) != std::string::npos; });
  return position == analysis.offenders.end() ? nullptr : &*position;
}

void expect_ranked(const Analysis& analysis) {
  for (size_t i = 1; i < analysis.offenders.size(); ++i) {
    EXPECT_GE(analysis.offenders[i - 1].stake_ns, analysis.offenders[i].stake_ns);
  }
  for (const Offender& offender : analysis.offenders) {
    EXPECT_FALSE(offender.rule.empty());
    EXPECT_FALSE(offender.recommendation.empty());
    EXPECT_FALSE(offender.stake_basis.empty());
    EXPECT_FALSE(offender.evidence.empty());
    if (offender.stake_interval_ns) {
      EXPECT_LE(offender.stake_interval_ns->low, offender.stake_ns);
      EXPECT_GE(offender.stake_interval_ns->high, offender.stake_ns);
    }
  }
}

// Recorded 25.201 ms less 1.5 us; the roof allows 2 * 1024^3 / 100 GFLOP/s.
TEST(Offenders, StakeIsTheTimeAboveTheRoof) {
  const Analysis analysis = analyse(record(large_gemm()));
  expect_ranked(analysis);
  const Offender* gemm = find(analysis, "gemm");
  ASSERT_NE(gemm, nullptr);
  const double time = 25.201e6 - 1'500;
  const double roof = 2.0 * 1024 * 1024 * 1024 / 100e9 * 1e9;
  EXPECT_EQ(gemm->kind, OffenderKind::kNode);
  EXPECT_DOUBLE_EQ(gemm->time_ns, time);
  EXPECT_NEAR(gemm->stake_ns, time - roof, 1e-6);
  EXPECT_NEAR(gemm->stake_interval_ns->high, time - roof + 1'300, 1e-6);
  EXPECT_EQ(gemm->bound, "compute");
  EXPECT_EQ(gemm->rule, "lower-precision-at-compute-roof");
}

// Adds `row`, whose times are from the start of an inference, to each profiled one.
void add_to_profiled(Recording& recording, KernelRow row) {
  row.dur_ns = row.t_end_ns - row.t_start_ns;
  for (const IterationRow& iteration : recording.iterations) {
    if (iteration.phase == IterationPhase::kProfile) {
      KernelRow& added = recording.kernels.emplace_back(row);
      added.process = iteration.process;
      added.iter_idx = iteration.iter_idx;
      added.t_start_ns += iteration.t_start_ns;
      added.t_end_ns += iteration.t_start_ns;
    }
  }
}

// Of an inference of 160 us, launches with the device idle take 40 us: no kernel runs from 50 to 90 us.
TEST(Offenders, LaunchesOfAGpuAreNamedAsSuch) {
  TestRun run = tiny_ops();
  run.nodes.resize(1);
  run.roofs = false;
  run.device_kind = DeviceKind::kGpu;
  run.activity = NodeActivity::kDeviceKernel;
  Recording recording = record(run);
  EXPECT_EQ(find(analyse(recording), "launching calls"), nullptr) << "no call was recorded";
  KernelRow call;
  call.activity = NodeActivity::kHostLaunch;
  call.t_start_ns = 50'000;
  call.t_end_ns = 90'000;
  add_to_profiled(recording, call);
  const Analysis analysis = analyse(recording);
  expect_ranked(analysis);
  const Offender* launches = find(analysis, "launching calls");
  ASSERT_NE(launches, nullptr);
  EXPECT_DOUBLE_EQ(launches->stake_ns, 40'000);
  EXPECT_EQ(launches->rule, "fewer-launches");
  EXPECT_FALSE(analysis.metric("exposed_launch_time")->interval);
}

// A copy out of 4 ms behind the kernels of each profiled inference.
TEST(Offenders, CopiesOfAGpuRunAreAnOffender) {
  TestRun run = large_gemm();
  run.device_kind = DeviceKind::kGpu;
  run.activity = NodeActivity::kDeviceKernel;
  run.latency_ns += 4'000'000;
  Recording recording = record(run);
  EXPECT_EQ(find(analyse(recording), "copies between host and device"), nullptr);
  KernelRow copy;
  copy.activity = NodeActivity::kDeviceCopy;
  copy.kernel_name = device_row::kCopyFromDevice;
  copy.t_start_ns = static_cast<int64_t>(run.latency_ns) - 4'000'000;
  copy.t_end_ns = static_cast<int64_t>(run.latency_ns);
  add_to_profiled(recording, copy);
  const Analysis analysis = analyse(recording);
  expect_ranked(analysis);
  const Offender* copies = find(analysis, "copies between host and device");
  ASSERT_NE(copies, nullptr);
  EXPECT_NEAR(copies->stake_ns, 4'000'000, 20'000);  // but for what a kernel's recorded end covers
  EXPECT_EQ(copies->rule, "keep-tensors-on-the-device");
  EXPECT_EQ(copies->evidence, "0 ns to the device and 4.000 ms from it in each profiled inference");
}

// The host of a GPU runs ahead of it: what the host waited counts as far as the device was idle.
TEST(Offenders, WaitingOfAGpusHostIsWeighedByItsIdleDevice) {
  TestRun run = squeezed(large_gemm());
  run.device_kind = DeviceKind::kGpu;
  run.activity = NodeActivity::kDeviceKernel;
  run.latency_ns = 1.05 * run.nodes[0].time_ns;
  const Analysis busy = analyse(record(run));
  EXPECT_EQ(find(busy, "waiting for processors"), nullptr);
  const Offender* gemm = find(busy, "gemm");
  ASSERT_NE(gemm, nullptr);
  EXPECT_EQ(gemm->stake_basis.find("kept off"), std::string::npos) << "a kernel waits for no processor";
  run.latency_ns = 4 * run.nodes[0].time_ns;
  EXPECT_NE(find(analyse(record(run)), "waiting for processors"), nullptr);
  run.activity = NodeActivity::kHostEnqueue;
  const Analysis unknown = analyse(record(run));
  const Offender* waiting = find(unknown, "waiting for processors");
  ASSERT_NE(waiting, nullptr);
  EXPECT_NE(waiting->stake_basis.find("whether the device waited"), std::string::npos) << waiting->stake_basis;
}

// The clock of the host's processors falls from 3 to 2 GHz, and the device is idle for more than a third of the time.
TEST(Offenders, ALoweredClockOfAGpusHostIsWeighedByItsIdleDevice) {
  TestRun run = large_gemm();
  run.roofs = false;
  run.device_kind = DeviceKind::kGpu;
  run.activity = NodeActivity::kDeviceKernel;
  run.latency_ns = 1.6 * run.nodes[0].time_ns;
  run.frequencies_mhz.assign(20, 3000);
  run.frequencies_mhz.resize(40, 2000);
  const Analysis analysis = analyse(record(run));
  const Offender* clock = find(analysis, "lowered clock");
  ASSERT_NE(clock, nullptr);
  EXPECT_TRUE(clock->stake_basis.ends_with(", as far as the device was idle")) << clock->stake_basis;
}

TEST(Offenders, WithoutRoofsTheStakeIsOnlyBounded) {
  TestRun run = large_gemm();
  run.roofs = false;
  const Analysis analysis = analyse(record(run));
  const Offender* gemm = find(analysis, "gemm");
  ASSERT_NE(gemm, nullptr);
  EXPECT_DOUBLE_EQ(gemm->stake_ns, gemm->time_ns);
  EXPECT_TRUE(gemm->stake_basis.starts_with("upper bound")) << gemm->stake_basis;
  EXPECT_TRUE(gemm->bound.starts_with("unknown: ")) << gemm->bound;
  EXPECT_EQ(gemm->rule, "measure-the-roofs");
}

// Ten multiplications of equal length in a row: fused they take at least as long as one, so nine tenths are at stake.
TEST(Offenders, ElementwiseChainsAreAtStakeButForTheirSlowest) {
  const Analysis analysis = analyse(record(stream_out_of_cache()));
  expect_ranked(analysis);
  const Offender* chain = find(analysis, "element-wise chain");
  ASSERT_NE(chain, nullptr);
  EXPECT_NEAR(chain->stake_ns, 0.9 * chain->time_ns, 1e-6);
  EXPECT_EQ(chain->rule, "fuse-elementwise-chain");
  EXPECT_EQ(find(analysis, "Mul")->kind, OffenderKind::kGroup) << "no single node stands out";
}

// A tensor that two nodes read ends the chain.
TEST(Offenders, ATensorWithTwoReadersEndsAChain) {
  TestRun run = stream_out_of_cache();
  run.nodes.resize(2);
  Recording recording = record(run);
  recording.edges.push_back({GraphForm::kOptimized, 0, 7, "t", "[1]", "float"});
  EXPECT_EQ(find(analyse(recording), "element-wise chain"), nullptr);
}

TEST(Offenders, TinyOperatorsNameTheirDispatch) {
  const Analysis analysis = analyse(record(tiny_ops()));
  ASSERT_FALSE(analysis.offenders.empty());
  const Offender& first = analysis.offenders.front();
  EXPECT_EQ(first.kind, OffenderKind::kOverhead);
  EXPECT_NEAR(first.stake_ns, 1000 * 150, 1e-6) << "1,000 dispatches at 150 ns";
  EXPECT_EQ(first.rule, "one-thread-for-short-nodes");
}

TEST(Offenders, ASqueezedRunNamesTheProcessors) {
  const Analysis analysis = analyse(record(squeezed(tiny_ops())));
  const Offender* waiting = find(analysis, "waiting for processors");
  ASSERT_NE(waiting, nullptr);
  EXPECT_NEAR(waiting->share, 0.33, 0.01);
  EXPECT_EQ(waiting->rule, "free-the-processors");
}

// Five processes of 48 periods each, of which 47 were throttled; half of the time was lost, all of it to the quota.
TEST(Offenders, AQuotaNamesItsLimitAndNobodyElse) {
  TestRun run = tiny_ops();
  run.run_delay_share = 0.5;
  run.quota_share = 0.5;
  run.cpu_utilisation = 0.49;
  const Analysis analysis = analyse(record(run));
  const Offender* quota = find(analysis, "CPU quota");
  ASSERT_NE(quota, nullptr);
  EXPECT_NEAR(quota->share, 0.5, 0.01);
  EXPECT_EQ(quota->rule, "raise-the-quota");
  EXPECT_TRUE(quota->recommendation.ends_with("cpu.max is 50000 100000 (/cg/job), throttled in 235 of 240 periods."))
      << quota->recommendation;
  EXPECT_EQ(find(analysis, "waiting for processors"), nullptr);
}

// Half of the time is lost, a fifth to the quota: the rest is competition.
TEST(Offenders, WhatAQuotaDoesNotExplainIsCompetition) {
  TestRun run = tiny_ops();
  run.run_delay_share = 0.5;
  run.quota_share = 0.2;
  run.cpu_utilisation = 0.49;
  const Analysis analysis = analyse(record(run));
  EXPECT_NEAR(find(analysis, "CPU quota")->share, 0.2, 0.01);
  const Offender* const waiting = find(analysis, "waiting for processors");
  EXPECT_NEAR(waiting->share, 0.3, 0.01);
  const LatencySummary& latency = *analysis.primary_latency();
  EXPECT_LE(waiting->stake_ns, *latency.mean_ns - *latency.min_ns + 1e-6);  // the fastest iteration waited less
}

TEST(Offenders, AQuotaThatCannotBeSeenIsSaidToBeAbove) {
  TestRun run = tiny_ops();
  run.quota_share = 0.5;
  Recording recording = record(run);
  for (ProcessFacts& process : recording.facts.process_facts) {
    process.quota.groups.clear();
  }
  EXPECT_NE(find(analyse(recording), "CPU quota")->recommendation.find("above those that this process can see"),
            std::string::npos);
}

TEST(Offenders, NodesThatFellBackFromAGpuAreNamed) {
  TestRun run = large_gemm();
  run.device_kind = DeviceKind::kGpu;
  run.activity = NodeActivity::kHostEnqueue;
  Recording recording = record(run);
  for (KernelRow& row : recording.kernels) {
    row.activity = NodeActivity::kHostKernel;
  }
  const Analysis analysis = analyse(recording);
  ASSERT_EQ(analysis.offenders.size(), 1U);
  EXPECT_EQ(analysis.offenders[0].rule, "keep-nodes-on-the-device");
}

TEST(Rules, HaveNamesOfTheirOwnAndTheLastAppliesToAll) {
  std::set<std::string> names;
  for (const Rule& rule : rules()) {
    EXPECT_TRUE(names.insert(rule.id).second) << rule.id;
    EXPECT_STRNE(rule.recommendation, "");
    EXPECT_STRNE(rule.source, "");
  }
  OffenderCase nothing;
  apply_rules(nothing);
  EXPECT_EQ(nothing.offender.rule, rules().back().id);
}

TEST(Rules, TheSpecialComesBeforeTheGeneral) {
  const auto rule_for = [](const char* op, const char* bound, std::optional<double> fraction) {
    OffenderCase offender_case;
    offender_case.op_type = op;
    offender_case.offender.bound = bound;
    offender_case.roof = parse_word<RoofBound>(bound).value_or(RoofBound::kUnknown);
    offender_case.roof_fraction = fraction;
    apply_rules(offender_case);
    return offender_case.offender.rule;
  };
  EXPECT_EQ(rule_for("Conv", "compute", 0.3), "raise-dense-efficiency");
  EXPECT_EQ(rule_for("Conv", "compute", 0.9), "lower-precision-at-compute-roof");
  EXPECT_EQ(rule_for("Add", "memory", 0.9), "less-traffic-at-memory-roof");
  EXPECT_EQ(rule_for("Add", "memory", 0.3), "raise-memory-efficiency");
  EXPECT_EQ(rule_for("Transpose", "memory", 0.9), "remove-data-movement");
  EXPECT_EQ(rule_for("Cast", "memory", 0.3), "remove-casts");
  EXPECT_EQ(rule_for("Softmax", "memory", 0.3), "use-fused-operator");
  EXPECT_EQ(rule_for("TopK", "unknown: no formula for the FLOPs or bytes of TopK", {}), "count-its-work");
}

TEST(Summary, HasFourToSixSentences) {
  for (const TestRun& run :
       {tiny_ops(), large_gemm(), stream_out_of_cache(), stream_in_cache(), squeezed(large_gemm())}) {
    const Analysis analysis = analyse(record(run));
    EXPECT_GE(analysis.summary.size(), 4U);
    EXPECT_LE(analysis.summary.size(), 6U);
    for (const std::string& sentence : analysis.summary) {
      EXPECT_EQ(sentence.back(), '.') << sentence;
    }
  }
  EXPECT_EQ(analyse(Recording{}).summary.size(), 1U);
}

// Profiled, the node takes 40 ms; unprofiled, the inference takes 10 ms: more than that cannot be saved.
TEST(Offenders, NothingAboveTheLatencyIsAtStake) {
  TestRun run;
  run.latency_ns = 10e6;
  run.roofs = false;
  run.nodes.push_back({"slow", "Conv", 40e6, {}, {}});
  const Analysis analysis = analyse(record(run));
  expect_ranked(analysis);
  const Offender* slow = find(analysis, "slow");
  ASSERT_NE(slow, nullptr);
  EXPECT_DOUBLE_EQ(slow->stake_ns, 10e6);
  EXPECT_LE(slow->stake_interval_ns->high, 10e6);
  EXPECT_TRUE(slow->stake_basis.ends_with("no roof to compare with")) << slow->stake_basis;
  EXPECT_NE(slow->evidence.find("more than the latency: the profiler slowed them"), std::string::npos)
      << slow->evidence;
}

// The roof allows 10 ms: of a latency of 30 ms the node can leave no less, however long it was when profiled.
TEST(Offenders, OfANodeAboveTheLatencyTheRoofIsNotAtStake) {
  TestRun run;
  run.latency_ns = 30e6;
  run.nodes.push_back({"slow", "MatMul", 40e6, 1e9, 1e3});
  const Analysis analysis = analyse(record(run));
  const Offender* const slow = find(analysis, "slow");
  ASSERT_NE(slow, nullptr);
  EXPECT_DOUBLE_EQ(slow->stake_ns, 20e6);
  EXPECT_EQ(slow->stake_basis, "upper bound: the latency less the time at the roof");
}

// Its time is mostly waiting: that nearly all of it could be saved would say nothing.
TEST(Offenders, OnACrowdedMachineANodesStakeIsUnknown) {
  const Analysis analysis = analyse(record(squeezed(large_gemm())));
  const Offender* const gemm = find(analysis, "gemm");
  ASSERT_NE(gemm, nullptr);
  EXPECT_EQ(gemm->stake_basis, "unknown: threads were kept off the processors for 33.0 % of the steady time");
  EXPECT_EQ(gemm->rule, "free-the-processors");
  const Offender* const waiting = find(analysis, "waiting for processors");
  EXPECT_LT(waiting, gemm) << "known stakes come first";
  EXPECT_LT(waiting->stake_ns, gemm->stake_ns);
}

// 1,000 dispatches at 150 ns, and an inference of 100 us: nobody dispatches for longer than it takes.
TEST(Offenders, DispatchesThatExceedTheLatencySaveNobodyKnowsHowMuch) {
  TestRun run = tiny_ops();
  run.latency_ns = 100'000;
  const Analysis analysis = analyse(record(run));
  const Offender* const dispatch = find(analysis, "dispatch of nodes");
  ASSERT_NE(dispatch, nullptr);
  EXPECT_EQ(dispatch->stake_basis, "unknown: at the measured cost, all dispatches would take the whole latency");
}

Recording with_denormals(double as_zero_ns, int64_t weights) {
  TestRun run = large_gemm();
  run.latency_ns = 3e6;
  Recording recording = record(run);
  DenormalFacts denormals;
  denormals.operands = true;
  denormals.weights = weights;
  denormals.weights_read = 100;
  if (weights > 0) {
    denormals.tensors = {"w: 90 of 100 (90 %)"};
  }
  denormals.as_zero_p50_ns = as_zero_ns;
  denormals.as_zero_iterations = 50;
  recording.facts.denormals = denormals;
  return recording;
}

TEST(Offenders, DenormalWeightsAreACauseWithItsMeasuredRemedy) {
  const Analysis analysis = analyse(with_denormals(0.1e6, 90));
  const Offender* denormal = find(analysis, "denormal weights");
  ASSERT_NE(denormal, nullptr);
  EXPECT_DOUBLE_EQ(denormal->stake_ns, 2.9e6);
  EXPECT_EQ(denormal->rule, "denormals-as-zero");
  EXPECT_EQ(denormal->stake_basis, "measured: one process with denormal numbers as zero");
  EXPECT_EQ(
      denormal->evidence,
      "100.0 us with --option session.set_denormal_as_zero=1 (50 iterations, 1 process) for 3.000 ms; denormal are "
      "w: 90 of 100 (90 %)");
  EXPECT_TRUE(analysis.summary[2].starts_with("It is slowed by denormal numbers: 100.0 us")) << analysis.summary[2];
  EXPECT_NE(analysis.summary[3].find("--option session.set_denormal_as_zero=1"), std::string::npos)
      << analysis.summary[3];
}

TEST(Offenders, DenormalActivationsAreNamedSo) {
  EXPECT_NE(find(analyse(with_denormals(0.1e6, 0)), "denormal activations"), nullptr);
}

// A model computes with some denormal numbers, and takes as long without them: no cause.
TEST(Offenders, DenormalsThatCostNothingAreNoCause) {
  EXPECT_EQ(find(analyse(with_denormals(2.95e6, 90)), "denormal"), nullptr);
  EXPECT_EQ(find(analyse(with_denormals(3.5e6, 90)), "denormal"), nullptr);
}

}  // namespace
}  // namespace aaco
