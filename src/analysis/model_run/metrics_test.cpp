// SPDX-License-Identifier: MIT
// The metrics that follow from node times, on recordings whose answer is known in closed form.
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "analysis/bundle_json.h"
#include "analysis/model_run/amplification.h"
#include "analysis/model_run/results.h"
#include "analysis/model_run/test_recording.h"
#include "base/json/json.h"

namespace aaco {
namespace {

const MetricValue& metric(const Analysis& analysis, std::string_view id) {
  const MetricValue* value = analysis.metric(id);
  EXPECT_NE(value, nullptr) << id;
  return *value;
}

void expect_value(const Analysis& analysis, std::string_view id, double expected) {
  const MetricValue& value = metric(analysis, id);
  ASSERT_TRUE(value.value) << id << " " << quality_text(value.quality);
  EXPECT_NEAR(*value.value, expected, std::abs(expected) * 1e-9 + 1e-12) << id;
}

// 3 Conv of 99.5 us as de-biased, 6 Add of 4.5 us, 1 Relu below resolution; latency 400 us.
TestRun mixed() {
  TestRun run;
  for (int i = 0; i < 3; ++i) {
    run.nodes.push_back({"conv" + std::to_string(i), "Conv", 100'000, 8e6, 1e5});
  }
  for (int i = 0; i < 6; ++i) {
    run.nodes.push_back({"add" + std::to_string(i), "Add", 5'000, 1e3, 12e3});
  }
  run.nodes.push_back({"relu", "Relu", 200, {}, 8e3});
  run.latency_ns = 400'000;
  return run;
}

TEST(Metrics, EveryMetricOfTheTableIsEmittedOnceAndNoOther) {
  std::set<std::string> table;
  for (const MetricInfo& info : all_metrics()) {
    EXPECT_TRUE(table.insert(info.id).second) << info.id << " is twice in the table";
    for (const char* text : {info.title, info.unit, info.formula, info.needs, info.not_told}) {
      EXPECT_STRNE(text, "") << info.id;
    }
  }
  TestRun gpu = mixed();
  gpu.device_kind = DeviceKind::kGpu;
  gpu.activity = NodeActivity::kDeviceKernel;
  const std::set<std::string> of_gpus{"kernels_linked",           "kernel_time_linked",    "profiled_inference_time",
                                      "device_kernels_time",      "device_copies_in_time", "device_copies_out_time",
                                      "launch_idle_time",         "node_idle_time",        "between_nodes_idle_time",
                                      "device_other_copies_time", "copy_time_share"};
  for (const Recording& recording : {record(mixed()), Recording{}, record(gpu)}) {
    std::set<std::string> expected = table;
    std::erase_if(expected, [](const std::string& id) { return id.starts_with("token_"); });  // token_kernels_test.cpp
    if (recording.facts.device_kind != DeviceKind::kGpu) {
      std::erase_if(expected, [&](const std::string& id) { return of_gpus.contains(id); });
    }
    std::set<std::string> emitted;
    for (const MetricValue& value : analyse(recording).metrics) {
      EXPECT_TRUE(emitted.insert(value.id).second) << value.id << " is emitted twice";
      EXPECT_EQ(value.value.has_value(), !quality_text(value.quality).starts_with("no data: "))
          << value.id << ": " << quality_text(value.quality);
    }
    EXPECT_EQ(emitted, expected);
  }
}

TEST(Metrics, LaunchTax) {
  const Analysis analysis = analyse(record(mixed()));
  expect_value(analysis, "dispatches_per_inference", 10);
  expect_value(analysis, "microkernel_fraction_count", 0.7);
  // 6 * 4.5 us over 3 * 99.5 + 6 * 4.5; the Relu is below resolution and inside the interval.
  expect_value(analysis, "microkernel_fraction_time", 27.0 / 325.5);
  const Interval range = *metric(analysis, "microkernel_fraction_time").interval;
  EXPECT_LT(range.low, 27.0 / 325.5);
  EXPECT_GT(range.high, 28.3 / 326.8);
  expect_value(analysis, "launch_rate", 10 / 400e-6);
  expect_value(analysis, "launch_tax_score", 0.7 * 25'000 / 1000);
  // The Relu's recorded 1 us is shorter than the profiler's cost: its interval is empty.
  expect_value(analysis, "exposed_launch_time", 400'000 - 325'500);
  EXPECT_EQ(quality_text(metric(analysis, "exposed_launch_time").quality), "upper bound");
  expect_value(analysis, "cpu_overhead_ratio", 74.5 / 400);
  expect_value(analysis, "mean_node_time", 40'000);
  expect_value(analysis, "dispatch_cost_share", 10 * 150 / 400e3);
}

TEST(Metrics, TheMicrokernelThresholdIsAParameter) {
  Recording recording = record(mixed());
  recording.facts.microkernel_ns = 1e6;
  expect_value(analyse(recording), "microkernel_fraction_count", 1);
  recording.facts.microkernel_ns = 1'400;  // above the limit of the Relu, below the Adds
  expect_value(analyse(recording), "microkernel_fraction_count", 0.1);
  recording.facts.microkernel_ns = 1'000;  // the Relu could be longer: it is not counted, and the interval says so
  const Analysis analysis = analyse(recording);
  expect_value(analysis, "microkernel_fraction_count", 0);
  EXPECT_DOUBLE_EQ(metric(analysis, "microkernel_fraction_count").interval->high, 0.1);
}

// A thread that loses its processor during one of ten executions does not turn a short kernel into a long one.
TEST(Metrics, AnInterruptedExecutionIsNoLongKernel) {
  Recording recording = record(tiny_ops());
  for (size_t i = 0; i < recording.kernels.size(); i += 97) {
    recording.kernels[i].dur_ns += 5'000'000;
    recording.kernels[i].t_end_ns += 5'000'000;
  }
  const Analysis analysis = analyse(recording);
  expect_value(analysis, "microkernel_fraction_count", 1);
  expect_value(analysis, "microkernel_fraction_time", 1);
}

// What the run calibrated goes before what was measured with the roofs.
TEST(Metrics, DispatchCost) {
  Recording recording = record(mixed());
  expect_value(analyse(recording), "dispatch_cost_share", 10 * 150 / 400e3);
  recording.facts.profiler_cost->dispatch_ns = 200;
  expect_value(analyse(recording), "dispatch_cost_share", 10 * 200 / 400e3);
  recording.facts.profiler_cost->dispatch_ns.reset();
  recording.facts.roofs->launch_ns.reset();
  EXPECT_EQ(quality_text(metric(analyse(recording), "dispatch_cost_share").quality),
            "no data: the cost of a dispatch was not calibrated");
}

// Three worker threads on two processors: no more than two are busy at once.
TEST(Metrics, ThreadsBeyondTheProcessorsDoNotCount) {
  Recording recording = record(large_gemm());
  recording.facts.intra_op_threads = 3;
  EXPECT_NEAR(*metric(analyse(recording), "cpu_utilisation").value, 0.98, 1e-6);
  EXPECT_TRUE(metric(analyse(recording), "flops_roof_fraction").value);
}

// All nodes are below resolution and shorter than the threshold: all of the time is in microkernels, whatever it is.
// But how much of the latency is outside of kernels nobody can tell.
TEST(Metrics, TinyOperatorsAreAllMicrokernels) {
  const Analysis analysis = analyse(record(tiny_ops()));
  expect_value(analysis, "microkernel_fraction_time", 1);
  const Interval exposed = *metric(analysis, "exposed_launch_time").interval;
  EXPECT_DOUBLE_EQ(exposed.low, 0);
  EXPECT_NEAR(exposed.high, 160'000, 1e-6);
  EXPECT_FALSE(metric(analysis, "profile_reconciliation").value);
  expect_value(analysis, "mean_node_time", 160);
  for (const OpKernelRow& op : analysis.ops) {
    EXPECT_FALSE(op.time_ns);
  }
}

// 10 dispatches over 20 nodes of the file and 8 of the optimized graph.
TEST(Metrics, Amplification) {
  Recording recording = record(mixed());
  recording.facts.nodes_original = 20;
  recording.facts.nodes_optimized = 8;
  const Analysis analysis = analyse(recording);
  expect_value(analysis, "kar_original", 0.5);
  expect_value(analysis, "kar_optimized", 1.25);
}

// A loop node at the top, whose body has two nodes executed five times: 1 + 10 executions. A constant is none.
TEST(Metrics, AmplificationCountsLoopBodiesPerExecution) {
  TestRun run;
  run.nodes.push_back({"loop", "Loop", 900'000, {}, {}});
  for (int i = 0; i < 5; ++i) {
    run.nodes.push_back({"mul", "Mul", 50'000, {}, {}});
    run.nodes.push_back({"add", "Add", 50'000, {}, {}});
  }
  Recording recording = record(run);
  recording.nodes.clear();
  for (const GraphForm graph : {GraphForm::kOriginal, GraphForm::kOptimized}) {
    int64_t id = 0;
    for (const auto& [name, scope, executes] :
         {std::tuple{"loop", "", 1}, {"mul", "loop", 1}, {"add", "loop", 1}, {"two", "", 0}}) {
      GraphNodeRow row;
      row.node_id = id++;
      row.graph = graph;
      row.name = name;
      row.scope = scope;
      row.executes = executes;
      recording.nodes.push_back(row);
    }
  }
  const Analysis analysis = analyse(recording);
  expect_value(analysis, "dispatches_per_inference", 11);
  expect_value(analysis, "kar_original", 1);
  expect_value(analysis, "kar_optimized", 1);
}

// Two kernels of 100 us that overlap by half, in 300 us: sum 200/300, union 150/300.
TEST(Metrics, GpuActiveRatios) {
  TestRun run;
  run.device_kind = DeviceKind::kGpu;
  run.activity = NodeActivity::kDeviceKernel;
  run.latency_ns = 300'000;
  run.nodes = {{"a", "Conv", 100'000 - kTestProfilerCost, {}, {}}, {"b", "Conv", 100'000 - kTestProfilerCost, {}, {}}};
  Recording recording = record(run);
  for (size_t i = 1; i < recording.kernels.size(); i += 2) {
    recording.kernels[i].t_start_ns = recording.kernels[i - 1].t_start_ns + 50'000;
    recording.kernels[i].t_end_ns = recording.kernels[i].t_start_ns + 100'000;
  }
  const Analysis analysis = analyse(recording);
  expect_value(analysis, "gpu_active_ratio_sum", 2.0 / 3);
  expect_value(analysis, "gpu_active_ratio_union", 0.5);
  expect_value(analysis, "cpu_overhead_ratio", 0.5);
}

// GEMM of 2 * 1024^3 FLOP and 3 * 4 MiB in 25.3 ms.
TEST(Metrics, AchievedRates) {
  const Analysis analysis = analyse(record(large_gemm()));
  const double flops = 2.0 * 1024 * 1024 * 1024;
  const double bytes = 3.0 * 4 * 1024 * 1024;
  expect_value(analysis, "achieved_flops", flops / 25.3e-3);
  expect_value(analysis, "flops_roof_fraction", flops / 25.3e-3 / 100e9);
  expect_value(analysis, "achieved_bandwidth", bytes / 25.3e-3);
  expect_value(analysis, "arithmetic_intensity", flops / bytes);
  expect_value(analysis, "intensity_over_ridge", flops / bytes / 5);
  expect_value(analysis, "high_intensity_time_share", 1);
  expect_value(analysis, "flops_coverage", 1);
}

// 3 * 99.5 us of Conv have no formula, 6 * 4.5 us of Add have.
TEST(Metrics, UnknownFlopsMakeTheRateALowerBound) {
  TestRun run = mixed();
  for (TestNode& node : run.nodes) {
    if (node.op_type == "Conv") {
      node.flops.reset();
    }
  }
  const Analysis analysis = analyse(record(run));
  expect_value(analysis, "flops_coverage", 27.0 / 325.5);
  EXPECT_TRUE(quality_text(metric(analysis, "achieved_flops").quality).starts_with("lower bound: "))
      << quality_text(metric(analysis, "achieved_flops").quality);
}

TEST(Metrics, RoofsOfAnotherPrecisionAreNotUsed) {
  Recording recording = record(large_gemm());
  recording.facts.precision_executed = "bf16";
  EXPECT_EQ(quality_text(metric(analyse(recording), "flops_roof_fraction").quality),
            "no data: no roof was measured for precision bf16");
}

TEST(Metrics, OpsAreLinkedByName) {
  Recording recording = record(mixed());
  std::erase_if(recording.nodes,
                [](const GraphNodeRow& node) { return node.graph == GraphForm::kOriginal && node.name == "conv1"; });
  std::erase_if(recording.nodes, [](const GraphNodeRow& node) { return node.name == "relu"; });
  const Analysis analysis = analyse(recording);
  std::map<std::string, OpKernelRow> ops;
  for (const OpKernelRow& op : analysis.ops) {
    ops[op.node_name] = op;
  }
  EXPECT_EQ(ops["conv0"].method, "exact");
  EXPECT_EQ(ops["conv1"].method, "fused") << "only the optimized graph has it";
  EXPECT_EQ(ops["relu"].method, "unmatched");
  EXPECT_EQ(ops["relu"].node_id, -1);
  EXPECT_DOUBLE_EQ(*ops["conv0"].flops, 8e6);
  EXPECT_DOUBLE_EQ(ops["conv0"].bound_ns, 1'300);
  EXPECT_EQ(ops["conv0"].process_ns, std::vector<double>(3, ops["conv0"].raw_ns));
}

// The other node of its name is in a branch that was not taken.
TEST(Metrics, OpsAreLinkedWhereOnlyOneNodeOfANameRan) {
  Recording recording = record(mixed());
  const auto is_conv0 = [](const GraphNodeRow& node) {
    return node.graph == GraphForm::kOptimized && node.name == "conv0";
  };
  GraphNodeRow other = *std::find_if(recording.nodes.begin(), recording.nodes.end(), is_conv0);
  other.scope = "if.then_branch";
  other.executions = 0;
  *other.flops *= 100;
  recording.nodes.push_back(other);
  for (const OpKernelRow& op : analyse(recording).ops) {
    EXPECT_EQ(op.method, "exact") << op.node_name;
  }
}

// Without a profile: a product of 1e6 FLOPs that ran 20 times, the loop around it, and a branch that was not taken, in
// 1 ms: 2e10 FLOP/s. With a body of which nobody knows how often it ran that is a lower bound.
TEST(Metrics, WorkOfBodiesCountsAsOftenAsTheyRan) {
  TestRun run;
  run.profile = false;
  run.latency_ns = 1e6;
  Recording recording = record(run);
  const auto add = [&](const char* op_type, const char* scope, std::optional<double> executions) {
    GraphNodeRow row;
    row.graph = GraphForm::kOptimized;
    row.op_type = op_type;
    row.scope = scope;
    row.executions = executions;
    row.flops = std::string_view(op_type) == "Loop" ? std::nullopt : std::optional(1e6);
    row.bytes = row.flops;
    recording.nodes.push_back(row);
  };
  add("Loop", "", 1);
  add("MatMul", "loop.body", 20);
  add("MatMul", "if.then_branch", 0);
  const Analysis analysis = analyse(recording);
  EXPECT_NEAR(*metric(analysis, "achieved_flops").value, 2e10, 1e4);
  EXPECT_EQ(quality_text(metric(analysis, "achieved_flops").quality), "measured");
  add("MatMul", "scan.body", std::nullopt);
  EXPECT_TRUE(quality_text(metric(analyse(recording), "achieved_flops").quality).starts_with("lower bound"));
}

// The work of whichever of two nodes comes first would be a guess.
TEST(Metrics, OpsOfANameThatNodesShareAreNotLinked) {
  Recording recording = record(mixed());
  const auto is_conv0 = [](const GraphNodeRow& node) {
    return node.graph == GraphForm::kOptimized && node.name == "conv0";
  };
  GraphNodeRow other = *std::find_if(recording.nodes.begin(), recording.nodes.end(), is_conv0);
  other.scope = "if.then_branch";
  *other.flops *= 100;
  recording.nodes.push_back(other);
  for (const OpKernelRow& op : analyse(recording).ops) {
    EXPECT_EQ(op.method, op.node_name == "conv0" ? "unmatched" : "exact") << op.node_name;
    EXPECT_EQ(op.bytes.has_value(), op.node_name != "conv0") << op.node_name;
  }
}

// Conv 298.5 us, Add 27 us. Common bounds add up (6 * (300 + 500)), own ones in quadrature (sqrt(6) * 500).
TEST(Metrics, GroupsAddUp) {
  const Analysis analysis = analyse(record(mixed()));
  ASSERT_EQ(analysis.groups.size(), 3U);
  EXPECT_EQ(analysis.groups[0].group_name, "CPUExecutionProvider:Conv");
  EXPECT_DOUBLE_EQ(*analysis.groups[0].time_ns, 298'500);
  EXPECT_DOUBLE_EQ(*analysis.groups[0].share, 298.5 / 325.5);
  EXPECT_DOUBLE_EQ(*analysis.groups[0].flops, 24e6);
  EXPECT_DOUBLE_EQ(analysis.groups[1].bound_ns, 6 * 800 + std::sqrt(6.0) * 500);
  EXPECT_DOUBLE_EQ(analysis.groups[1].microkernel_fraction, 1);
  EXPECT_FALSE(analysis.groups[2].time_ns) << "the Relu is below resolution";
  EXPECT_FALSE(analysis.groups[2].flops) << "its formula is unknown";
}

TEST(Metrics, HostLoad) {
  TestRun run = large_gemm();
  run.run_delay_share = 0.25;
  run.off_cpu_share = 0.10;
  run.involuntary_per_s = 50;
  const Analysis analysis = analyse(record(run));
  EXPECT_NEAR(*metric(analysis, "run_delay_share").value, 0.25, 1e-6);
  EXPECT_NEAR(*metric(analysis, "off_cpu_share").value, 0.10, 1e-6);
  EXPECT_NEAR(*metric(analysis, "kept_off_cpu_share").value, 0.35, 1e-6);
  EXPECT_NEAR(*metric(analysis, "processors_granted").value, 0.65, 1e-6);
  EXPECT_NEAR(*metric(analysis, "cpu_utilisation").value, 0.98, 1e-6);
  EXPECT_NEAR(*metric(analysis, "involuntary_switch_rate").value, 50, 0.5);
  EXPECT_EQ(quality_text(metric(analysis, "psi_cpu").quality), "no data: needs --telemetry");
}

// One tick of 10 ms in 20 inferences of 0.3 ms is all of the time, and says nothing about the program.
TEST(Metrics, AShortSteadyPhaseTellsNothingAboutScheduling) {
  TestRun run = tiny_ops();
  run.latency_ns = 300'000;
  run.iterations = 20;
  run.run_delay_share = 0.5;
  run.off_cpu_share = 0.1;
  const Analysis analysis = analyse(record(run));
  for (const char* id :
       {"run_delay_share", "off_cpu_share", "kept_off_cpu_share", "processors_granted", "involuntary_switch_rate"}) {
    EXPECT_EQ(quality_text(metric(analysis, id).quality), "no data: no steady phase lasted 200.0 ms") << id;
  }
  EXPECT_TRUE(metric(analysis, "cpu_utilisation").value);
  EXPECT_NE(analysis.bottleneck.bottleneck_class, BottleneckClass::kCpuBound) << analysis.bottleneck.reason;
}

// Nine tenths of the time asleep until a request is due dilute neither a run delay nor a quota.
TEST(Metrics, SleepUntilARequestIsDueDilutesNothing) {
  TestRun run = large_gemm();
  run.run_delay_share = 0.25;
  run.off_cpu_share = 0.10;
  run.quota_share = 0.20;
  run.involuntary_per_s = 50;
  const Analysis closed = analyse(record(run));
  Recording recording = record(run);
  for (ProcessFacts& process : recording.facts.process_facts) {
    const int64_t asleep_ns = 9 * (process.t_end_ns - process.t_start_ns);
    process.t_end_ns += asleep_ns;
    process.awaited_ns = asleep_ns;
  }
  const Analysis loaded = analyse(recording);
  for (const char* id : {"run_delay_share", "off_cpu_share", "kept_off_cpu_share", "crowded_out_share",
                         "involuntary_switch_rate", "quota_throttled_share"}) {
    EXPECT_NEAR(*metric(loaded, id).value, *metric(closed, id).value, 1e-9) << id;
  }
  EXPECT_NEAR(*metric(loaded, "cpu_utilisation").value, 0.098, 1e-6);
  EXPECT_NEAR(*metric(loaded, "pause_share").value, 0.9, 1e-3);
}

TEST(Metrics, UnknownRunDelayIsNoZero) {
  Recording recording = record(large_gemm());
  for (ProcessFacts& process : recording.facts.process_facts) {
    process.run_delay_known = false;
  }
  EXPECT_FALSE(metric(analyse(recording), "run_delay_share").value);
  EXPECT_FALSE(metric(analyse(recording), "off_cpu_share").value);
}

// Latency follows the clock, which has two values: r is -1.
TEST(Metrics, Frequency) {
  TestRun run = large_gemm();
  run.processes = 1;
  for (int i = 0; i < 20; ++i) {
    run.frequencies_mhz.push_back(i % 2 == 0 ? 3000 : 2400);
  }
  const Analysis analysis = analyse(record(run));
  expect_value(analysis, "frequency_held", 0.8);
  EXPECT_NEAR(*metric(analysis, "frequency_drop").value, 0.2, 1e-12);
  EXPECT_NEAR(*metric(analysis, "cpu_frequency").value, 2.7e9, 1);
  EXPECT_NEAR(*metric(analysis, "frequency_latency_correlation").value, -1, 1e-6);
}

TEST(Metrics, TheSameRecordingGivesTheSameAnalysis) {
  const Recording recording = record(mixed());
  EXPECT_EQ(derived_metrics_json(analyse(recording)).dump(), derived_metrics_json(analyse(recording)).dump());
}

TEST(BundleJson, HasTheFieldsOfTheSeed) {
  const Recording recording = record(tiny_ops());
  const Analysis analysis = analyse(recording);
  const Json bottleneck = bottleneck_json(analysis);
  EXPECT_EQ(bottleneck["bottleneck_class"], "launch-bound");
  EXPECT_GT(bottleneck["confidence"], 0.5);
  ASSERT_FALSE(bottleneck["top_evidence"].empty());
  for (const char* field : {"signal", "value", "weight"}) {
    EXPECT_TRUE(bottleneck["top_evidence"][0].contains(field)) << field;
  }
  EXPECT_EQ(bottleneck["top_evidence"][0]["signal"], "dispatch_cost_share");
  const Json summary = inference_summary_json(analysis, recording.facts);
  EXPECT_NEAR(summary["p50_ms"], 0.16, 1e-9);
  EXPECT_TRUE(summary["p99_ms"].is_number());
  EXPECT_TRUE(summary["phases"].contains("profile"));
  EXPECT_TRUE(derived_metrics_json(analysis)["metrics"]["kar_original"]["value"].is_number());
  EXPECT_TRUE(derived_metrics_json(analysis)["metrics"]["psi_cpu"]["value"].is_null());
}

TEST(BundleJson, BottleneckAndOffendersSurviveARoundTrip) {
  const Analysis analysis = analyse(record(large_gemm()));
  EXPECT_EQ(Json(Json(analysis.bottleneck).get<Bottleneck>()), Json(analysis.bottleneck));
  ASSERT_FALSE(analysis.offenders.empty());
  EXPECT_EQ(Json(Json(analysis.offenders[0]).get<Offender>()), Json(analysis.offenders[0]));
  EXPECT_EQ(Json(Json(analysis.latencies[0]).get<LatencySummary>()), Json(analysis.latencies[0]));
}

TEST(BundleJson, NothingMeasuredIsNoNumber) {
  const Json summary = inference_summary_json(analyse(Recording{}), {});
  EXPECT_FALSE(summary.contains("p50_ms"));
  EXPECT_TRUE(summary["phases"].empty());
}

}  // namespace
}  // namespace aaco
