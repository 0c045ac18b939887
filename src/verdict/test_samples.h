// SPDX-License-Identifier: MIT
// Runs built for tests: what they measured is known exactly.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "verdict/run_sample.h"

namespace aaco::test {

inline RunSample sample_of(std::vector<double> medians_ns) {
  RunSample sample;
  sample.session_id = "20260101_000000_abcdef";
  sample.created_utc = "2026-01-01T00:00:00Z";
  sample.status = SessionStatus::kComplete;
  sample.configuration.model_name = "m";
  sample.configuration.model_sha256 = "aa";
  sample.configuration.backend = "cpu";
  sample.configuration.batch = 1;
  sample.configuration.precision = "fp32";
  for (const WorkGroup& group : kWorkGroups) {
    sample.configuration.work[group.id] = {};
  }
  sample.phase = "measure";
  sample.stationary_processes = static_cast<int64_t>(medians_ns.size());
  sample.process_medians_ns = std::move(medians_ns);
  sample.nodes_unavailable = "not profiled";
  return sample;
}

// As make_run_sample makes it, elapsed time being that of the iterations alone.
inline ProcessSample process_of(std::vector<double> latencies_ns) {
  ProcessSample process;
  process.iterations = static_cast<int64_t>(latencies_ns.size());
  process.mean_ns = *mean(latencies_ns);
  process.sigma_ns = standard_deviation(latencies_ns).value_or(0);
  process.elapsed_ns = process.mean_ns;
  std::ranges::sort(latencies_ns);
  for (size_t i = 0; i < kSampleQuantiles; ++i) {
    process.quantiles_ns.push_back(latencies_ns[(i * (latencies_ns.size() - 1) + 100) / 200]);
  }
  return process;
}

// A run of which every iteration is known.
inline RunSample sample_of_iterations(const std::vector<std::vector<double>>& latencies_ns) {
  std::vector<double> medians;
  for (const std::vector<double>& process : latencies_ns) {
    medians.push_back(*median(process));
  }
  RunSample sample = sample_of(std::move(medians));
  for (const std::vector<double>& process : latencies_ns) {
    sample.processes.push_back(process_of(process));
  }
  return sample;
}

// Per-process medians of runs with two levels of noise: one effect per process, and within it iterations with AR(1)
// noise.
struct HierarchicalNoise {
  double process_sigma = 0.01;
  double iteration_sigma = 0.02;
  double autocorrelation = 0.6;
  int iterations = 60;

  std::vector<double> medians(double latency_ns, size_t processes, std::mt19937_64& random) const {
    std::normal_distribution<double> normal;
    std::vector<double> medians;
    for (size_t process = 0; process < processes; ++process) {
      const double level = latency_ns * std::exp(process_sigma * normal(random));
      std::vector<double> latencies;
      double noise = normal(random);
      for (int i = 0; i < iterations; ++i) {
        noise = autocorrelation * noise + std::sqrt(1 - autocorrelation * autocorrelation) * normal(random);
        latencies.push_back(level * std::exp(iteration_sigma * noise));
      }
      medians.push_back(*median(latencies));
    }
    return medians;
  }
};

// A run of small and large nodes whose latency is the sum of its parts.
struct RunModel {
  int small_nodes = 200;
  double small_ns = 3'000;  // per execution
  int large_nodes = 20;
  double large_ns = 50'000;
  double gap_ns = 200'000;
  double hidden_ns = 0;  // slowness that the profiled processes did not see
  double clock_mhz = 2000;
  double noise = 0.005;  // of each node's time and of the gap

  RunSample sample(size_t processes, std::mt19937_64& random) const {
    std::normal_distribution<double> normal;
    const auto noisy = [&](double value) { return value * std::exp(noise * normal(random)); };
    std::vector<NodeSample> nodes;
    const auto add = [&](int count, const char* name, const char* op_type, const char* shapes, double ns,
                         NodeLimit limit) {
      for (int i = 0; i < count; ++i) {
        const double time_ns = noisy(ns);
        nodes.push_back({name + std::to_string(i), op_type, shapes, 1, time_ns, ns * noise, limit,
                         std::vector<double>(3, time_ns)});
      }
    };
    add(small_nodes, "small", "Add", "[64]", small_ns, NodeLimit::kOverhead);
    add(large_nodes, "large", "MatMul", "[64,64]", large_ns, NodeLimit::kCompute);
    const double latency_ns = small_nodes * small_ns + large_nodes * large_ns + gap_ns + hidden_ns;
    RunSample sample = sample_of(HierarchicalNoise{}.medians(latency_ns, processes, random));
    sample.nodes = std::move(nodes);
    sample.nodes_unavailable.clear();
    sample.exposed_ns = noisy(gap_ns);
    sample.exposed_bound_ns = 2 * gap_ns * noise;
    sample.cpu_frequency_mhz = noisy(clock_mhz);
    return sample;
  }
};

}  // namespace aaco::test
