// SPDX-License-Identifier: MIT
// Recordings built so that the right answer is known: a list of nodes with true times, run one after the other, seen
// through a profiler with a cost and a resolution of its own.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "record/recording.h"

namespace aaco {

struct TestNode {
  std::string name;
  std::string op_type;
  double time_ns = 0;
  std::optional<double> flops;
  std::optional<double> bytes;
};

struct TestRun {
  double latency_ns = 1e6;
  std::vector<TestNode> nodes;
  int64_t processes = 5;
  int64_t iterations = 100;
  int64_t threads = 2;
  double run_delay_share = 0;  // of the time that threads ran or were runnable
  double off_cpu_share = 0;
  double cpu_utilisation = 0.98;
  int64_t involuntary_per_s = 0;      // of that time
  std::optional<double> quota_share;  // of the steady time, stopped by a quota of half a processor; none: not recorded
  bool profile = true;
  bool roofs = true;
  DeviceKind device_kind = DeviceKind::kCpu;
  NodeActivity activity = NodeActivity::kHostKernel;
  std::vector<double> frequencies_mhz;  // of the first iterations of process 0, one telemetry sample each
};

inline constexpr double kTestProfilerCost = 1500;
inline constexpr double kTestProfilerBound = 300;
inline constexpr double kTestFlopsRoof = 100e9;
inline constexpr double kTestBytesRoof = 20e9;

// Latency follows the clock: it is latency_ns at the highest frequency.
inline double test_latency(const TestRun& run, int64_t process, int64_t iteration) {
  const auto index = static_cast<size_t>(iteration);
  if (process != 0 || index >= run.frequencies_mhz.size()) {
    return run.latency_ns;
  }
  return run.latency_ns * *std::max_element(run.frequencies_mhz.begin(), run.frequencies_mhz.end()) /
         run.frequencies_mhz[index];
}

inline void add_test_process(Recording& recording, const TestRun& run, int64_t process, ProcessRole role,
                             int64_t start_ns) {
  const bool profiled = role == ProcessRole::kProfile;
  const int64_t iterations = profiled ? 10 : run.iterations;
  int64_t now = start_ns;
  for (int64_t i = 0; i < iterations; ++i) {
    const int64_t start = now;
    if (profiled) {
      for (const TestNode& node : run.nodes) {
        const auto recorded = static_cast<int64_t>(std::floor((node.time_ns + kTestProfilerCost) / 1000) * 1000);
        recording.kernels.push_back({process,
                                     i,
                                     run.activity,
                                     "CPUExecutionProvider:" + node.op_type,
                                     node.name,
                                     node.op_type,
                                     "CPUExecutionProvider",
                                     now,
                                     now + recorded,
                                     recorded,
                                     1,
                                     {},
                                     "",
                                     ""});
        now += recorded + 10'000;
      }
    }
    now = std::max(now, start + static_cast<int64_t>(test_latency(run, process, i)));
    recording.iterations.push_back({process,
                                    i,
                                    profiled ? IterationPhase::kProfile : IterationPhase::kMeasure,
                                    start,
                                    now,
                                    static_cast<double>(now - start) / 1e6,
                                    {}});
    now += 100;
  }
  ProcessFacts facts;
  facts.process = process;
  facts.role = role;
  facts.load_ms = 5;
  facts.first_run_ms = 2;
  facts.harness_ns = 100;
  facts.stationary = true;
  facts.t_start_ns = start_ns;
  facts.t_end_ns = now;
  const double wall = static_cast<double>(now - start_ns);
  const auto threads = static_cast<double>(run.threads);
  facts.run_delay_known = true;
  const double got = run.cpu_utilisation * wall * threads;
  facts.cpu_time_ns = std::llround(got);
  const double wanted = std::max(wall, got / (1 - run.run_delay_share));
  facts.run_delay_ns = std::llround(run.run_delay_share * wanted);
  facts.off_cpu_ns = std::llround(run.off_cpu_share * wall);
  facts.involuntary_switches = std::llround(static_cast<double>(run.involuntary_per_s) * wanted / 1e9);
  if (run.quota_share) {
    facts.quota.unavailable.clear();
    facts.quota.processors = run.threads;
    facts.quota.held_ns = std::llround(*run.quota_share * wall * threads);
    facts.quota.groups.push_back(
        {"/cg/job", "cpu.max is 50000 100000", 0.5, 48, *run.quota_share > 0 ? 47 : 0, *facts.quota.held_ns, 0});
  }
  recording.facts.process_facts.push_back(facts);
}

inline void add_test_graph(Recording& recording, const TestRun& run) {
  int64_t id = 0;
  for (const TestNode& node : run.nodes) {
    GraphNodeRow row;
    row.name = node.name;
    row.op_type = node.op_type;
    row.flops = node.flops;
    row.bytes = node.bytes;
    for (const GraphForm graph : {GraphForm::kOriginal, GraphForm::kOptimized}) {
      row.graph = graph;
      row.node_id = id;
      recording.nodes.push_back(row);
    }
    if (id > 0) {
      recording.edges.push_back({GraphForm::kOptimized, id - 1, id, "t", "[1]", "float"});
    }
    ++id;
  }
}

// One sample for each iteration of process 0 that has a frequency.
inline void add_test_telemetry(Recording& recording, const TestRun& run) {
  for (size_t i = 0; i < run.frequencies_mhz.size(); ++i) {
    const IterationRow& iteration = recording.iterations[i];
    SystemRow row;
    row.t_ns = iteration.t_end_ns;
    row.interval_ns = iteration.t_end_ns - iteration.t_start_ns;
    row.process_cpu_pct = 100;
    row.cpu_frequency_mhz = run.frequencies_mhz[i];
    recording.collected.rows<SystemRow>().push_back(row);
  }
}

inline Recording record(const TestRun& run) {
  Recording recording;
  RunFacts& facts = recording.facts;
  facts.model_name = "test";
  facts.backend = run.device_kind == DeviceKind::kGpu ? "cuda" : "cpu";
  facts.provider = run.device_kind == DeviceKind::kGpu ? "CUDAExecutionProvider" : "CPUExecutionProvider";
  facts.device_kind = run.device_kind;
  facts.precision_executed = "fp32";
  facts.intra_op_threads = run.threads;
  facts.processors = 2;
  facts.processes = run.processes;
  facts.nodes_original = static_cast<int64_t>(run.nodes.size());
  facts.nodes_optimized = static_cast<int64_t>(run.nodes.size());
  if (run.roofs) {
    facts.roofs.emplace();
    facts.roofs->flops_per_s["fp32"] = kTestFlopsRoof;
    facts.roofs->bytes_per_s = kTestBytesRoof;
    facts.roofs->launch_ns = 150;
    facts.roofs->threads = 2;
  }
  add_test_graph(recording, run);
  for (int64_t process = 0; process < run.processes; ++process) {
    add_test_process(recording, run, process, ProcessRole::kMeasure, process * 100'000'000'000);
  }
  add_test_telemetry(recording, run);
  if (run.profile) {
    facts.profiler_cost = ProfilerCost{kTestProfilerCost, kTestProfilerBound, 1000, 0, false, 10, {}};
    for (int64_t process = run.processes; process < run.processes + 3; ++process) {
      add_test_process(recording, run, process, ProcessRole::kProfile, process * 100'000'000'000);
    }
  }
  return recording;
}

// Workloads of known class on a machine of two processors.

inline TestRun tiny_ops() {
  TestRun run;
  for (int i = 0; i < 1000; ++i) {
    run.nodes.push_back({"add_" + std::to_string(i), "Add", 160, 4, 48});
  }
  run.latency_ns = 160'000;  // 160 ns a node
  run.iterations = 2000;
  run.cpu_utilisation = 0.5;
  return run;
}

// 1024^3: 2.1 GFLOP at 85 % of 100 GFLOP/s.
inline TestRun large_gemm() {
  TestRun run;
  run.nodes.push_back({"gemm", "Gemm", 25.2e6, 2.0 * 1024 * 1024 * 1024, 3.0 * 4 * 1024 * 1024});
  run.latency_ns = 25.3e6;
  return run;
}

// Ten adds over 64 MB tensors, in and out: 128 MB each at 80 % of 20 GB/s.
inline TestRun stream_out_of_cache() {
  TestRun run;
  for (int i = 0; i < 10; ++i) {
    run.nodes.push_back({"mul_" + std::to_string(i), "Mul", 8e6, 16e6, 128e6});
  }
  run.latency_ns = 80.5e6;
  return run;
}

// The same over 256 kB tensors: 80 GB/s, which only a cache gives.
inline TestRun stream_in_cache() {
  TestRun run;
  for (int i = 0; i < 100; ++i) {
    run.nodes.push_back({"mul_" + std::to_string(i), "Mul", 6'400, 64e3, 512e3});
  }
  run.latency_ns = 660'000;
  run.iterations = 500;
  return run;
}

// Any of them while other programs take a third of the processors' time.
inline TestRun squeezed(TestRun run) {
  run.latency_ns *= 1.5;
  run.run_delay_share = 0.33;
  run.cpu_utilisation = 0.65;
  run.involuntary_per_s = 120;
  return run;
}

}  // namespace aaco
