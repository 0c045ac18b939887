// SPDX-License-Identifier: MIT
#include "verdict/run_sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <tuple>

#include "base/json/json.h"
#include "verdict/test_samples.h"

namespace aaco {
namespace {

using testing::HasSubstr;

OpKernelRow op(const std::string& node, const std::string& type, double executions, std::optional<double> time_ns,
               double bound_ns) {
  OpKernelRow row;
  row.node_name = node;
  row.op_type = type;
  row.executions_per_inference = executions;
  row.time_ns = time_ns;
  row.bound_ns = bound_ns;
  return row;
}

// Two measuring processes and a profiled one.
struct RecordedRun {
  Recording recording;
  Analysis analysis;

  RecordedRun() {
    recording.facts.model_name = "m";
    recording.facts.precision_requested = "fp16";
    recording.facts.precision_executed = "fp32";
    for (int64_t process = 0; process < 3; ++process) {
      ProcessFacts facts;
      facts.process = process;
      facts.role = process < 2 ? ProcessRole::kMeasure : ProcessRole::kProfile;
      facts.stationary = true;
      facts.t_start_ns = 1000 * process;
      facts.t_end_ns = 1000 * process + 500;
      facts.run_delay_known = true;
      facts.run_delay_ns = 400 * (process + 1);
      facts.off_cpu_ns = 40;
      recording.facts.process_facts.push_back(facts);
      for (int64_t i = 0; i < 4; ++i) {
        IterationRow row;
        row.process = process;
        row.phase = process < 2 ? IterationPhase::kMeasure : IterationPhase::kProfile;
        recording.iterations.push_back(row);
      }
    }
    LatencySummary latency;
    latency.phase = IterationPhase::kMeasure;
    latency.iterations = 8;
    latency.process_medians_ns = {100, 110};
    analysis.latencies.push_back(latency);
    analysis.node_time_kind = NodeActivity::kHostKernel;
    recording.facts.profiler_cost = ProfilerCost{};
    analysis.metrics.push_back(upper_bound("exposed_launch_time", 30));
  }
  RunSample sample() const {
    return make_run_sample(recording, analysis, Json::object(), {"id", "2026", SessionStatus::kComplete, ""});
  }
};

// Of two devices the one that was held down more; a run that nobody sampled tells nothing.
TEST(RunSample, TellsWhatHeldTheClocksDown) {
  RecordedRun recorded;
  EXPECT_FALSE(recorded.sample().throttled_share);
  for (IterationRow& row : recorded.recording.iterations) {
    row.t_start_ns = 0;
    row.t_end_ns = 100;
  }
  for (int64_t i = 0; i < 4; ++i) {
    for (const char* device : {"0000:1b:00.0", "0000:5d:00.0"}) {
      GpuSampleRow row;
      row.t_ns = 10 * i;
      row.device = device;
      row.vendor = gpu_vendor::kNvidia;
      set_clock_events(row, device[5] == '5' && i == 0 ? 4 : 0);
      recorded.recording.collected.rows<GpuSampleRow>().push_back(row);
    }
  }
  const RunSample sample = recorded.sample();
  EXPECT_EQ(sample.throttled_share, 0.25);
  EXPECT_EQ(sample.throttled_words,
            "the clock of 0000:5d:00.0 was held down in 25 % of the samples (sw_power_cap 25 %)");
  const auto read = parse_run_sample(Json(sample), "baseline.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->throttled_share, 0.25);
  EXPECT_EQ(read->throttled_words, sample.throttled_words);
}

TEST(RunSample, OfARecording) {
  RecordedRun recorded;
  recorded.analysis.ops = {op("a", "Conv", 2, 50, 4)};
  const RunSample sample = recorded.sample();
  EXPECT_THAT(sample.process_medians_ns, testing::ElementsAre(100, 110));
  EXPECT_EQ(sample.phase, "measure");
  EXPECT_EQ(sample.configuration.precision, "fp32");
  EXPECT_EQ(sample.stationary_processes, 2);
  EXPECT_EQ(*sample.run_delay_ns, 150);  // median of 400 / 4 and 800 / 4
  EXPECT_EQ(*sample.off_cpu_ns, 10);
  EXPECT_EQ(*sample.exposed_ns, 30);
  ASSERT_EQ(sample.nodes.size(), 1u);
  EXPECT_EQ(sample.nodes[0].executions, 2);
  EXPECT_EQ(*sample.nodes[0].time_ns, 25);  // per execution
  EXPECT_EQ(sample.nodes[0].bound_ns, 2);
}

TEST(RunSample, KernelsOfANodeAreTakenTogether) {
  RecordedRun recorded;
  recorded.analysis.ops = {op("a", "Conv", 1, 50, 2), op("a", "Conv", 3, 30, 2), op("b", "Add", 1, 50, 2),
                           op("b", "Add", 1, std::nullopt, 2)};
  const RunSample sample = recorded.sample();
  ASSERT_EQ(sample.nodes.size(), 2u);
  EXPECT_EQ(sample.nodes[0].executions, 4);
  EXPECT_EQ(*sample.nodes[0].time_ns, 20);
  EXPECT_FALSE(sample.nodes[1].time_ns);    // one kernel below resolution: the sum is not known,
  EXPECT_EQ(sample.nodes[1].bound_ns, 27);  // only that it is under 50 + 2 + 2 for two executions
}

TEST(RunSample, ControlFlowIsItsBody) {
  RecordedRun recorded;
  recorded.analysis.ops = {op("loop", "Loop", 1, std::nullopt, 9000), op("a", "Add", 4, 50, 2)};
  EXPECT_EQ(recorded.sample().nodes.size(), 1u);
}

TEST(RunSample, TheProfilersMiscalibrationIsKeptApart) {
  RecordedRun recorded;
  recorded.recording.facts.profiler_cost = ProfilerCost{.per_node_ns = 5000, .bound_ns = 300, .resolution_ns = 1000};
  recorded.analysis.ops = {op("a", "Conv", 2, 5000, 2 * (300 + 500) + 2 * 500)};
  const RunSample sample = recorded.sample();
  EXPECT_EQ(sample.profiler_bound_ns, 800);
  EXPECT_EQ(sample.nodes[0].bound_ns, 500);
}

TEST(RunSample, TheSpreadOfProcessesIsKeptApart) {
  RecordedRun recorded;
  const std::vector<double> processes{100, 110, 104};
  const double spread = centre_of(processes).spread;
  recorded.analysis.ops = {op("a", "Conv", 2, 104, 4 + spread), op("a", "Conv", 2, 104, 4 + spread),
                           op("b", "Add", 1, std::nullopt, 9)};
  recorded.analysis.ops[0].process_ns = recorded.analysis.ops[1].process_ns = processes;
  recorded.analysis.ops[2].process_ns = {0, 8, 0};
  const RunSample sample = recorded.sample();
  EXPECT_NEAR(sample.nodes[0].bound_ns, 2, 1e-9);
  EXPECT_THAT(sample.nodes[0].process_ns, testing::ElementsAre(200, 220, 208));
  EXPECT_EQ(sample.nodes[1].bound_ns, 9);  // the limit stays whole
}

TEST(RunSample, TheExposedTimeReachesToTheFartherEndOfItsInterval) {
  RecordedRun recorded;
  recorded.analysis.ops = {op("a", "Conv", 1, 50, 4)};
  EXPECT_FALSE(recorded.sample().exposed_bound_ns);
  recorded.analysis.metrics = {upper_bound("exposed_launch_time", 30, Interval{0, 75})};
  EXPECT_EQ(*recorded.sample().exposed_bound_ns, 45);
}

TEST(RunSample, EnqueueTimesAndLossyProfilesGiveNoNodes) {
  RecordedRun recorded;
  EXPECT_EQ(recorded.sample().nodes_unavailable, "not profiled");
  recorded.analysis.ops = {op("a", "Conv", 1, 50, 4)};
  recorded.analysis.node_time_kind = NodeActivity::kHostEnqueue;
  EXPECT_THAT(recorded.sample().nodes_unavailable, HasSubstr("enqueue"));
  EXPECT_TRUE(recorded.sample().nodes.empty());
  EXPECT_FALSE(recorded.sample().exposed_ns);
  recorded.analysis.node_time_kind = NodeActivity::kHostKernel;
  recorded.recording.facts.profiler_cost = ProfilerCost{.events_lost = 7};
  EXPECT_EQ(recorded.sample().nodes_unavailable, "the profiler lost 7 events");
  recorded.recording.facts.profiler_cost.reset();
  recorded.analysis.ops.clear();  // as the analysis leaves them then
  recorded.recording.kernels.resize(1);
  EXPECT_EQ(recorded.sample().nodes_unavailable, "the profiler's cost was not calibrated");
}

TEST(RunSample, TheHighestRoofIsTheLimit) {
  // 1 GFLOP at 1 TFLOP/s: 1 ms. 100 MB at 1 GB/s: 100 ms. 1 launch of 5 us.
  RecordedRun recorded;
  recorded.recording.facts.roofs = Roofs{};
  recorded.recording.facts.roofs->flops_per_s["fp32"] = 1e12;
  recorded.recording.facts.roofs->bytes_per_s = 1e9;
  recorded.recording.facts.roofs->launch_ns = 5000;
  const auto limit_with = [&](std::optional<double> flops, std::optional<double> bytes) {
    OpKernelRow row = op("a", "MatMul", 1, 1e6, 1000);
    row.flops = flops;
    row.bytes = bytes;
    recorded.analysis.ops = {row};
    return recorded.sample().nodes[0].limit;
  };
  EXPECT_EQ(limit_with(1e9, 1e8), NodeLimit::kMemory);
  EXPECT_EQ(limit_with(1e9, 1e3), NodeLimit::kCompute);
  EXPECT_EQ(limit_with(1e3, 1e3), NodeLimit::kOverhead);
  EXPECT_EQ(limit_with(std::nullopt, 1e8), NodeLimit::kUnknown);
  recorded.recording.facts.precision_executed = "tf32 allowed";  // no such roof
  EXPECT_EQ(limit_with(1e9, 1e8), NodeLimit::kUnknown);
}

TEST(RunSample, FrequencyCountsWhileMeasuringOnly) {
  RecordedRun recorded;
  recorded.recording.facts.processors = 2;
  for (const auto& [t_ns, mhz] : {std::pair{100, 2000.0}, {400, 2100.0}, {700, 900.0}, {1100, 2200.0}, {2100, 900.0}}) {
    SystemRow row;
    row.t_ns = t_ns;
    row.process_cpu_pct = 200;
    row.cpu_frequency_mhz = mhz;
    recorded.recording.collected.rows<SystemRow>().push_back(row);
  }
  EXPECT_EQ(*recorded.sample().cpu_frequency_mhz, 2100);  // between processes and while profiling: not counted
}

// The telemetry's clock is a mean over processors, and an idle one has another clock.
TEST(RunSample, TheClockIsNotKnownWhereProcessorsWereIdle) {
  RecordedRun recorded;
  recorded.recording.facts.processors = 2;
  std::vector<SystemRow>& rows = recorded.recording.collected.rows<SystemRow>();
  for (int64_t i = 0; i < 20; ++i) {
    SystemRow row;
    row.t_ns = 100 + i;
    row.process_cpu_pct = i == 7 ? 100 : 195;
    row.cpu_frequency_mhz = i == 7 ? 1000 : 2000;
    rows.push_back(row);
  }
  EXPECT_EQ(recorded.sample().cpu_frequency_mhz, 1950.0);
  for (int64_t i = 0; i < 3; ++i) {
    rows[static_cast<size_t>(i)].process_cpu_pct = 100;
  }
  EXPECT_FALSE(recorded.sample().cpu_frequency_mhz);
  for (SystemRow& row : rows) {
    row.process_cpu_pct = 195;
  }
  EXPECT_TRUE(recorded.sample().cpu_frequency_mhz);
  recorded.recording.facts.processors = 0;
  EXPECT_FALSE(recorded.sample().cpu_frequency_mhz);
}

// Pinned to one processor of four, whose clocks are all sampled.
TEST(RunSample, AProcessThatIsPinnedLeavesProcessorsIdle) {
  RecordedRun recorded;
  recorded.recording.facts.processors = 1;
  SystemRow row;
  row.t_ns = 100;
  row.process_cpu_pct = 100;
  row.cpu_frequency_mhz = 2000;
  recorded.recording.collected.rows<SystemRow>().push_back(row);
  const auto frequency_among = [&](int processors) {
    Json environment;
    environment["limits"]["affinity_count"] = processors;
    return make_run_sample(recorded.recording, recorded.analysis, environment,
                           {"id", "2026", SessionStatus::kComplete, ""})
        .cpu_frequency_mhz;
  };
  EXPECT_EQ(frequency_among(1), 2000.0);
  EXPECT_FALSE(frequency_among(4));
}

TEST(RunSample, UnknownRunDelayStaysUnknown) {
  RecordedRun recorded;
  for (ProcessFacts& process : recorded.recording.facts.process_facts) {
    process.run_delay_known = false;
  }
  EXPECT_FALSE(recorded.sample().run_delay_ns);
  EXPECT_FALSE(recorded.sample().off_cpu_ns);
}

TEST(RunSample, ProfiledIterationsAloneGiveNoLatencies) {
  RecordedRun recorded;
  recorded.analysis.latencies[0].phase = IterationPhase::kProfile;
  EXPECT_TRUE(recorded.sample().process_medians_ns.empty());
}

TEST(RunSample, SurvivesJson) {
  std::mt19937_64 random(1);
  RunSample sample = test::RunModel{}.sample(5, random);
  sample.nodes[0].time_ns.reset();
  sample.configuration.dims["sequence"] = 128;
  const Json json = sample;
  const Result<RunSample> again = parse_run_sample(*parse_json(json.dump(), "test"), "test");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(Json(*again), json);
  EXPECT_FALSE(again->nodes[0].time_ns);
}

TEST(RunSample, HostileJsonIsAnErrorThatNamesTheFile) {
  std::mt19937_64 random(1);
  const Json good = test::RunModel{}.sample(3, random);
  ASSERT_TRUE(parse_run_sample(good, "b.json"));
  const auto refused = [&](const std::string& path, const Json& value) {
    Json bad = good;
    bad[Json::json_pointer(path)] = value;
    const Result<RunSample> result = parse_run_sample(bad, "b.json");
    ASSERT_FALSE(result) << path;
    EXPECT_EQ(result.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(result.error().message, HasSubstr("b.json"));
  };
  refused("/process_medians_ns/0", -1);
  refused("/process_medians_ns/0", 0);
  refused("/process_medians_ns/0", "1");
  refused("/process_medians_ns", 3);
  refused("/nodes/1/name", "small0");
  refused("/nodes/0/executions", -1);
  refused("/nodes/0/bound_ns", 1e300);
  refused("/nodes/0/process_ns/0", -1);
  refused("/exposed_ns", -5);
  refused("/exposed_bound_ns", -5);
  refused("/status", "paused");
  refused("/status", 1);
  refused("/nodes/0", Json::array());
  refused("/configuration", Json::array());
  for (const Json& whole : {Json(), Json(3), Json::array(), Json::object()}) {
    EXPECT_FALSE(parse_run_sample(whole, "b.json"));
  }
}

// Four iterations of 10 us a process, 5 us apart: 4 in 55 us of elapsed time.
TEST(RunSample, HoldsWhatLinesNeedOfEachProcess) {
  RecordedRun recorded;
  int64_t now = 1000;
  for (IterationRow& row : recorded.recording.iterations) {
    row.t_start_ns = now;
    row.t_end_ns = now + 10'000;
    now += 15'000;
  }
  const RunSample sample = recorded.sample();
  ASSERT_EQ(sample.processes.size(), 2U);
  EXPECT_EQ(sample.processes[1].iterations, 4);
  EXPECT_DOUBLE_EQ(sample.processes[1].mean_ns, 10'000);
  EXPECT_DOUBLE_EQ(sample.processes[1].sigma_ns, 0);
  EXPECT_DOUBLE_EQ(*sample.processes[1].elapsed_ns, 55'000.0 / 4);
  EXPECT_EQ(sample.processes[1].quantiles_ns.size(), kSampleQuantiles);
  const auto again = parse_run_sample(Json(sample), "file");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->processes[0].quantiles_ns, sample.processes[0].quantiles_ns);
}

TEST(RunSample, RefusesProcessesThatNoRunHas) {
  RunSample good = test::sample_of_iterations({{100, 110, 120}, {100, 110, 120}});
  EXPECT_TRUE(parse_run_sample(Json(good), "file"));
  const auto refused = [&](const auto& change) {
    RunSample bad = good;
    change(bad.processes);
    const auto parsed = parse_run_sample(Json(bad), "file");
    return !parsed && parsed.error().message == "file: processes holds what no process measures";
  };
  EXPECT_TRUE(refused([](auto& processes) { processes.pop_back(); }));
  EXPECT_TRUE(refused([](auto& processes) { processes[0].iterations = 0; }));
  EXPECT_TRUE(refused([](auto& processes) { processes[0].quantiles_ns.pop_back(); }));
  EXPECT_TRUE(refused([](auto& processes) { processes[0].quantiles_ns[7] = 1e9; }));
  EXPECT_TRUE(refused([](auto& processes) { processes[0].mean_ns = 99; }));
  EXPECT_TRUE(refused([](auto& processes) { processes[0].elapsed_ns = -1; }));
}

}  // namespace
}  // namespace aaco
