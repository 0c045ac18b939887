// SPDX-License-Identifier: MIT
// Made-up sessions for the tests: whole, of a language model, and nearly empty. The same arguments give the same
// session.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "base/json/json.h"
#include "session/session.h"
#include "session/test_kinds.h"

namespace aaco::report::test {

// Deterministic noise in [0, 1).
class Noise {
 public:
  explicit Noise(uint64_t seed) : state_(seed * 2654435761U + 88172645463325252U) {}
  double next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<double>(state_ >> 11) / 9007199254740992.0;
  }
  // Right-skewed, mean about 1.
  double skewed() {
    const double u = next();
    return 0.97 + 0.02 * next() + 0.03 * u * u * u * u;
  }

 private:
  uint64_t state_;
};

struct Shape {
  int64_t processes = 5;
  int64_t warmup = 20;
  int64_t iterations = 200;
  int64_t profiled = 10;
  int64_t nodes = 60;
  double base_ns = 1.0e7;
  double slower = 1;  // factor on every latency
  uint64_t seed = 1;
};

inline ProcessFacts process_facts(int64_t process, ProcessRole role, int64_t start_ns, int64_t end_ns, int64_t warmup) {
  ProcessFacts facts;
  facts.process = process;
  facts.role = role;
  facts.pid = 4000 + process;
  facts.load_ms = 212.5 + static_cast<double>(process);
  facts.first_run_ms = 31.25;
  facts.warmup_iterations = warmup;
  facts.stationary = process != 3;
  facts.t_start_ns = start_ns;
  facts.t_end_ns = end_ns;
  facts.harness_ns = 410;
  facts.run_delay_known = true;
  facts.run_delay_ns = 1'200'000 * (process + 1);
  facts.cpu_time_ns = (end_ns - start_ns) * 19 / 10;
  facts.off_cpu_ns = 40'000;
  facts.involuntary_switches = 11 + process;
  facts.voluntary_switches = 3;
  return facts;
}

// The profile of one iteration: nodes one after the other on one thread, some on a second.
inline void add_kernels(Recording& recording, const Shape& shape, int64_t process, int64_t iteration, int64_t start_ns,
                        Noise& noise) {
  constexpr std::array<const char*, 9> kOperators{
      "Conv", "Conv", "Conv", "FusedConv", "Add", "Relu", "MaxPool", "BatchNormalization", "Gemm"};
  int64_t at = start_ns + 20'000;
  for (int64_t node = 0; node < shape.nodes; ++node) {
    const char* op = kOperators[static_cast<size_t>(node) % kOperators.size()];
    const bool heavy = std::string(op) == "Conv" || std::string(op) == "FusedConv";
    const double share = (heavy ? 1.7 : 0.12) * (1 + 0.6 * std::sin(static_cast<double>(node)));
    const double mean_ns = shape.base_ns * shape.slower / static_cast<double>(shape.nodes) * share;
    const auto dur = static_cast<int64_t>(std::floor(mean_ns * noise.skewed() / 1000)) * 1000 + 1000;
    KernelRow row;
    row.process = process;
    row.iter_idx = iteration;
    row.activity = NodeActivity::kHostKernel;
    row.op_type = op;
    row.kernel_name = std::string("CPUExecutionProvider:") + op;
    row.node_name = "/layer" + std::to_string(node / 12 + 1) + "/" + op + "_" + std::to_string(node);
    row.provider = "CPUExecutionProvider";
    row.t_start_ns = at;
    row.t_end_ns = at + dur;
    row.dur_ns = dur;
    row.thread_id = node % 7 == 3 ? 4102 : 4101;
    row.input_shapes = "[1,64,56,56];[64,64,3,3]";
    row.output_shapes = "[1,64,56,56]";
    recording.kernels.push_back(row);
    at += dur + 3'000;
  }
}

inline void add_graph(Recording& recording, const Shape& shape) {
  std::array graphs{GraphForm::kOriginal, GraphForm::kOptimized};
  for (const GraphForm graph : graphs) {
    for (int64_t node = 0; node < shape.nodes; ++node) {
      const KernelRow& kernel = recording.kernels.at(static_cast<size_t>(node));
      GraphNodeRow row;
      row.node_id = node;
      row.graph = graph;
      row.name = kernel.node_name;
      row.op_type = kernel.op_type;
      row.inputs = "[\"t" + std::to_string(node) + "\"]";
      row.outputs = "[\"t" + std::to_string(node + 1) + "\"]";
      row.input_shapes = kernel.input_shapes;
      row.output_shapes = kernel.output_shapes;
      row.dtype = "float32";
      if (row.op_type != "MaxPool") {
        row.flops = row.op_type == "Conv" || row.op_type == "FusedConv" ? 2.3e8 : 2.0e5;
      }
      row.bytes = 1.75e6;
      recording.nodes.push_back(row);
    }
  }
}

inline void add_telemetry(Recording& recording, int64_t start_ns, int64_t end_ns, Noise& noise) {
  int64_t previous = start_ns;
  for (int64_t t = start_ns + 100'000'000; t < end_ns; t += 100'000'000) {
    SystemRow row;
    row.t_ns = t;
    row.interval_ns = t - previous;
    previous = t;
    const bool between = (t / 1'000'000'000) % 4 == 0;
    row.cpu_pct = between ? 12 + 5 * noise.next() : 96 + 3 * noise.next();
    if (!between) {
      row.pid = 4001;
      row.process_cpu_pct = 190 + 8 * noise.next();
      row.process_rss_bytes = 331'000'000 + static_cast<int64_t>(4e6 * noise.next());
      row.process_voluntary_switches = static_cast<int64_t>(30 * noise.next());
      row.process_involuntary_switches = static_cast<int64_t>(12 * noise.next());
      row.process_minor_faults = static_cast<int64_t>(90 * noise.next());
      row.process_major_faults = 0;
    }
    row.memory_available_bytes = 5'100'000'000;
    row.runnable_tasks = between ? 1 : 2 + static_cast<int64_t>(2 * noise.next());
    row.psi_cpu_some_pct = between ? 0.4 : 11 * noise.next();
    row.psi_memory_some_pct = 0.0;
    row.psi_io_some_pct = 0.3 * noise.next();
    recording.collected.rows<SystemRow>().push_back(row);
  }
}

inline void describe(OpenSession& session) {
  SessionInfo& info = session.info;
  info.schema_version = 1;
  info.session_id = "20260101_120000_a1b2c3";
  info.kind = test_kind::kMeasured;
  info.created_utc = "2026-01-01T12:00:00Z";
  info.status = SessionStatus::kComplete;
  info.aaco_version = "0.1.0";
  info.command_line = {"aaco",    "run", "--model",   "resnet50",    "--backend", "cpu",
                       "--batch", "1",   "--profile", "--telemetry", "--input",   "data=my image's.npy"};
  info.planes = {{"inference", {PlaneStatus::kRecorded, ""}},
                 {"profiler", {PlaneStatus::kRecorded, ""}},
                 {"telemetry", {PlaneStatus::kRecorded, ""}},
                 {"gpu", {PlaneStatus::kNotRequested, ""}},
                 {"kernel plane", {PlaneStatus::kUnavailable, "needs CAP_BPF; run as root"}}};
  session.status = SessionStatus::kComplete;
  session.path = "sessions/2026-01-01/20260101_120000_a1b2c3";
  session.environment =
      Json{{"captured_at", "2026-01-01T12:00:00Z"},
           {"cpu", {{"model", "Made-up CPU 3000"}, {"cores", 2}, {"governor", "not available: no cpufreq"}}},
           {"memory", {{"total_bytes", 8'300'000'000}}},
           {"kernel", {{"release", "6.1.0-18-amd64"}, {"clock_source", "tsc"}}},
           {"gpus", Json::array()},
           {"variables", {{"OMP_NUM_THREADS", "2"}}}};
}

inline void describe_run(RunFacts& facts, const Shape& shape) {
  facts.model_name = "resnet50";
  facts.model_path = "models/resnet50.onnx";
  facts.model_sha256 = std::string(64, 'a');
  facts.backend = "cpu";
  facts.provider = "CPUExecutionProvider";
  facts.device_kind = DeviceKind::kCpu;
  facts.precision_executed = "fp32";
  facts.intra_op_threads = 2;
  facts.inter_op_threads = 1;
  facts.processors = 2;
  facts.processes = shape.processes;
  facts.warmup_minimum = 10;
  facts.iterations = std::to_string(shape.iterations);
  facts.seed = 42;
  facts.nodes_original = 122;
  facts.nodes_optimized = shape.nodes;
  facts.nodes_by_provider = {{"CPUExecutionProvider", shape.nodes}};
  facts.runtime_version = "1.31.0";
  facts.profiler_cost = ProfilerCost{3'200, 900, 1'000, 0, false, shape.profiled};
  Roofs roofs;
  roofs.flops_per_s = {{"fp32", 9.1e10}, {"fp64", 4.5e10}};
  roofs.bytes_per_s = 1.9e10;
  roofs.launch_ns = 350;
  roofs.device = "Made-up CPU 3000";
  roofs.threads = 2;
  facts.roofs = roofs;
}

// Five processes of 200 iterations, a profile, telemetry.
inline OpenSession whole_session(const Shape& shape = {}) {
  OpenSession session;
  describe(session);
  Recording& recording = session.recording;
  describe_run(recording.facts, shape);
  Noise noise(shape.seed);
  int64_t now = 50'000'000'000;
  const int64_t start = now;
  const auto run_process = [&](int64_t process, ProcessRole role, int64_t iterations) {
    now += 600'000'000;
    const double level = shape.base_ns * shape.slower * (1 + 0.012 * std::sin(static_cast<double>(process) * 2.1));
    int64_t steady_from = now;
    for (int64_t i = 0; i < shape.warmup + iterations; ++i) {
      const bool warm = i < shape.warmup;
      const bool profiled = role == ProcessRole::kProfile;
      double ns = level * noise.skewed() * (warm ? 1 + 1.5 * std::exp(-static_cast<double>(i) / 4) : 1);
      ns *= profiled ? 1.04 : 1;
      ns *= !warm && noise.next() > 0.995 ? 2.7 : 1;
      IterationRow row;
      row.process = process;
      row.iter_idx = i;
      row.phase = warm ? IterationPhase::kWarmup : profiled ? IterationPhase::kProfile : IterationPhase::kMeasure;
      row.t_start_ns = now;
      row.t_end_ns = now + static_cast<int64_t>(ns);
      row.latency_ms = ns / 1e6;
      recording.iterations.push_back(row);
      if (profiled && !warm) {
        add_kernels(recording, shape, process, i, now, noise);
      }
      now = row.t_end_ns + 500;
      steady_from = warm ? now : steady_from;
    }
    recording.facts.process_facts.push_back(process_facts(process, role, steady_from, now, shape.warmup));
  };
  for (int64_t process = 0; process < shape.processes; ++process) {
    run_process(process, ProcessRole::kMeasure, shape.iterations);
  }
  for (int64_t process = 0; process < 3 && shape.profiled > 0; ++process) {
    run_process(shape.processes + process, ProcessRole::kProfile, shape.profiled);
  }
  if (!recording.kernels.empty()) {
    add_graph(recording, shape);
  }
  add_telemetry(recording, start, now, noise);
  session.info.facts = recording.facts;
  recording.planes = session.info.planes;
  return session;
}

// A decoder: a prefill and 64 decode steps, five times in each of three processes.
inline OpenSession token_session() {
  OpenSession session;
  describe(session);
  Recording& recording = session.recording;
  describe_run(recording.facts, {});
  recording.facts.model_name = "tiny-llama";
  recording.facts.prompt_tokens = 128;
  recording.facts.generated_tokens = 64;
  recording.facts.profiler_cost.reset();
  Noise noise(7);
  int64_t now = 1'000'000'000;
  for (int64_t process = 0; process < 3; ++process) {
    int64_t index = 0;
    for (int request = 0; request < 5; ++request) {
      for (int64_t token = -1; token < 64; ++token) {
        IterationRow row;
        row.process = process;
        row.iter_idx = index++;
        row.phase = token < 0 ? IterationPhase::kPrefill : IterationPhase::kDecode;
        const double ns = (token < 0 ? 6.1e7 : 4.0e6 + 9e3 * static_cast<double>(token)) * noise.skewed();
        row.t_start_ns = now;
        row.t_end_ns = now + static_cast<int64_t>(ns);
        row.latency_ms = ns / 1e6;
        if (token >= 0) {
          row.token_idx = token;
        }
        recording.iterations.push_back(row);
        now = row.t_end_ns + 20'000;
      }
    }
    recording.facts.process_facts.push_back(process_facts(process, ProcessRole::kMeasure, now - 1'500'000'000, now, 3));
  }
  session.info.facts = recording.facts;
  return session;
}

// What is left of a run that was killed before it measured anything.
inline OpenSession empty_session() {
  OpenSession session;
  describe(session);
  session.info.status = SessionStatus::kRunning;
  session.status = SessionStatus::kIncomplete;
  session.info.command_line.clear();
  session.info.planes = {{"inference", {PlaneStatus::kUnavailable, "the run was killed"}}};
  session.environment = Json();
  session.losses = {"journal/iterations_0.journal: 1 row torn"};
  return session;
}

}  // namespace aaco::report::test
