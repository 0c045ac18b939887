// SPDX-License-Identifier: MIT
// A bundle may be damaged or made up: whatever the rows say, the analysis ends and states no impossible number.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "analysis/bundle_json.h"
#include "analysis/model_run/results.h"
#include "analysis/model_run/test_recording.h"
#include "base/json/json.h"

namespace aaco {
namespace {

int64_t any_integer(std::mt19937_64& random) {
  constexpr int64_t kInteresting[] = {0, 1, -1, 1000, int64_t{1} << 60, INT64_MAX, INT64_MIN};
  return random() % 2 == 0 ? kInteresting[random() % std::size(kInteresting)] : static_cast<int64_t>(random());
}

double any_number(std::mt19937_64& random) {
  const double interesting[] = {
      0, -1, 1e308, -1e308, 1e-308, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
  return random() % 2 == 0 ? interesting[random() % std::size(interesting)] : static_cast<double>(random() % 1000);
}

// Some of the fields of a good recording, replaced by anything.
Recording damaged(std::mt19937_64& random) {
  TestRun run = random() % 2 == 0 ? stream_out_of_cache() : large_gemm();
  run.iterations = 5;
  run.frequencies_mhz = {1000, 2000, 3000, 1000, 2000};
  Recording recording = record(run);
  const auto random_row = [&](auto& rows) -> auto& { return rows[random() % rows.size()]; };
  for (int i = 0; i < 8; ++i) {
    IterationRow& iteration = random_row(recording.iterations);
    KernelRow& kernel = random_row(recording.kernels);
    SystemRow& sample = random_row(recording.collected.rows<SystemRow>());
    GraphNodeRow& node = random_row(recording.nodes);
    ProcessFacts& process = random_row(recording.facts.process_facts);
    switch (random() % 12) {
      case 0:
        iteration.t_start_ns = any_integer(random);
        break;
      case 1:
        iteration.t_end_ns = any_integer(random);
        break;
      case 2:
        iteration.process = any_integer(random);
        break;
      case 3:
        kernel.t_start_ns = any_integer(random);
        break;
      case 4:
        kernel.dur_ns = any_integer(random);
        break;
      case 5:
        sample.t_ns = any_integer(random);
        break;
      case 6:
        sample.interval_ns = any_integer(random);
        break;
      case 7:
        node.flops = any_number(random);
        break;
      case 8:
        node.bytes = any_number(random);
        break;
      case 9:
        process.t_end_ns = any_integer(random);
        break;
      case 10:
        process.run_delay_ns = any_integer(random);
        break;
      default:
        sample.cpu_frequency_mhz = any_number(random);
        break;
    }
  }
  switch (random() % 6) {
    case 0:
      recording.facts.profiler_cost->per_node_ns = any_number(random);
      break;
    case 1:
      recording.facts.roofs->flops_per_s["fp32"] = any_number(random);
      break;
    case 2:
      recording.facts.roofs->bytes_per_s = any_number(random);
      break;
    case 3:
      recording.facts.roofs->launch_ns = any_number(random);
      break;
    case 4:
      recording.facts.batch = any_integer(random);
      break;
    default:
      recording.facts.intra_op_threads = any_integer(random);
      break;
  }
  return recording;
}

TEST(Hostile, AnyRecordingIsAnalysed) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 1'000; ++round) {
    const Recording recording = damaged(random);
    const Analysis analysis = analyse(recording);
    for (const MetricValue& metric : analysis.metrics) {
      if (metric.value) {
        EXPECT_TRUE(std::isfinite(*metric.value)) << metric.id << " in round " << round;
      }
    }
    for (const ClassScore& score : analysis.bottleneck.scores) {
      EXPECT_TRUE(score.score >= 0 && score.score <= 1) << word_of(score.bottleneck_class) << " in round " << round;
    }
    EXPECT_FALSE(bottleneck_json(analysis).dump().empty());
    EXPECT_FALSE(offenders_json(analysis).dump().empty());
    EXPECT_FALSE(inference_summary_json(analysis, recording.facts).dump().empty());
  }
}

}  // namespace
}  // namespace aaco
